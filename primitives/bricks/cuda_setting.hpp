// How a driver runs on a GPU: by which launcher and with which brick. Includes no CUDA header, so that builds without
// CUDA can use it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace brickwork {

enum class CudaPath {
  launcher,  // league_cuda.cuh
  kokkos,    // teams of Kokkos::Cuda, if Kokkos has CUDA
};

enum class CudaBrick {
  portable,  // brgemm_portable.hpp: each thread reads its operands from global memory
  staged,    // brgemm_staged.hpp: operands go through shared memory
  // Launcher only: these need more shared memory than Kokkos gives a team.
  multiply_adds,  // brgemm_fma.hpp: f32 without rounding to TF32
  tensor_cores,   // brgemm_mma.hpp: bf16, or f32 as TF32
  warpgroups,     // brgemm_wgmma.hpp: bf16 on Hopper
};

constexpr std::string_view to_string(CudaPath path) { return path == CudaPath::launcher ? "launcher" : "kokkos"; }
constexpr std::string_view to_string(CudaBrick brick) {
  constexpr std::string_view names[] = {"portable", "staged", "multiply-adds", "tensor-cores", "warpgroups"};
  return names[static_cast<int>(brick)];
}

struct CudaSetting {
  CudaPath path = CudaPath::launcher;
  CudaBrick brick = CudaBrick::staged;
  int threads = 256;       // per task, for portable and staged; the other bricks fix their own number
  void* stream = nullptr;  // a cudaStream_t, for the launcher; Kokkos::Cuda has its own stream
};

// Why this machine or this build cannot run a setting, in one sentence, or an empty string: no device, a driver older
// than the toolkit, a device that is too old, or Kokkos without CUDA.
std::string cuda_absent_reason(CudaPath, CudaBrick);

// The device code that runs, as reported by the device: "sm_90, tensor cores". Throws std::runtime_error if none of the
// build's device code runs.
std::string cuda_isa();

// The stream of Kokkos::Cuda, a cudaStream_t; null if Kokkos has no CUDA.
void* cuda_stream_of_kokkos();

// Waits for all launched work. Throws std::runtime_error if any of it failed.
void cuda_finish();

}  // namespace brickwork
