// How a driver runs on a GPU. Free of CUDA's headers, as a build without them may ask, too.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace brickwork {

enum class CudaPath {
  launcher,  // league_cuda.cuh
  kokkos,    // the teams of Kokkos::Cuda, where Kokkos has it
};

enum class CudaBrick {
  portable,       // brgemm_portable.hpp: each thread reads for itself
  staged,         // brgemm_staged.hpp: through shared memory
  multiply_adds,  // brgemm_fma.hpp: f32, strictly; by the launcher only, as it needs more shared memory than Kokkos
                  // gives a team
  tensor_cores,   // brgemm_mma.hpp: bf16, or f32 as TF32; likewise
  warpgroups,     // brgemm_wgmma.hpp: bf16 on Hopper; likewise
};

constexpr std::string_view to_string(CudaPath path) { return path == CudaPath::launcher ? "launcher" : "kokkos"; }
constexpr std::string_view to_string(CudaBrick brick) {
  constexpr std::string_view names[] = {"portable", "staged", "multiply-adds", "tensor-cores", "warpgroups"};
  return names[static_cast<int>(brick)];
}

struct CudaSetting {
  CudaPath path = CudaPath::launcher;
  CudaBrick brick = CudaBrick::staged;
  int threads = 256;       // of a task of the first two; the others have their own
  void* stream = nullptr;  // a cudaStream_t; of the launcher only, as Kokkos::Cuda has its own
};

// Why this machine or this build cannot take a setting, in one sentence, or nothing: no device, a driver older than the
// toolkit, a device that is too old, a Kokkos without CUDA.
std::string cuda_absent_reason(CudaPath, CudaBrick);

// Which of the device's code runs, as the device itself says: "sm_90, tensor cores". Throws std::runtime_error where
// none does.
std::string cuda_isa();

// The stream of Kokkos::Cuda, a cudaStream_t; null in a build whose Kokkos has none.
void* cuda_stream_of_kokkos();

// Waits for all that was launched. Throws std::runtime_error where any of it failed.
void cuda_finish();

}  // namespace brickwork
