// The body of the convolution on a GPU. Free of what nvcc need not see: problems, plans and their test data.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "conv/conv_forward_body.hpp"

namespace brickwork {

enum class CudaPath {
  launcher,  // league_cuda.cuh
  kokkos,    // the teams of Kokkos::Cuda, where Kokkos has it
};

// Why this machine or this build cannot take a path, or nothing.
std::string cuda_absent_reason(CudaPath);

// All of a run, in host memory; bias and residual are empty where the problem has none.
struct ConvForwardOnHost {
  const LoopNest& nest;
  const ConvForwardGeometry& geometry;
  BrgemmShape brick;
  std::span<const float> src, weights, bias, residual;
  std::span<const std::uint64_t> src_offsets, weights_offsets;
  std::span<float> dst;
};

// Runs it on the GPU, on copies. Throws std::runtime_error where CUDA fails.
void run_on_cuda(const ConvForwardOnHost&, CudaPath, int threads_a_task, bool staged);

}  // namespace brickwork
