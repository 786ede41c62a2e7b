#ifdef BRICKWORK_HAS_CUDNN
#include "baselines/cudnn/cudnn.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <stdexcept>

#include "kernels/gpu/cuda/cuda_absent.hpp"

namespace brickwork::cudnn {
namespace {

std::string version_text(std::size_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::size_t loaded_version() { return BRICKWORK_CUDNN(cudnnGetVersion)(); }

cudnnHandle_t new_handle() {
  cudnnHandle_t handle = nullptr;
  require(BRICKWORK_CUDNN(cudnnCreate)(&handle), "cudnnCreate");
  require(BRICKWORK_CUDNN(cudnnSetStream)(handle, cuda::queue().stream()), "cudnnSetStream");
  return handle;
}

}  // namespace

const SharedLibrary& library() {
  static const SharedLibrary library(fmt::format("libcudnn.so.{}", CUDNN_MAJOR).c_str());
  return library;
}

std::string absent() {
  if (std::string why = cuda_absent(); !why.empty()) return why;
  if (!library().missing().empty()) {
    return fmt::format("cuDNN {} cannot be loaded: {}", CUDNN_MAJOR, library().missing());
  }
  // The frontend loads CUDA's runtime itself; of several it would take the oldest.
  static const std::string runtime = fmt::format("libcudart.so.{}", CUDART_VERSION / 1000);
  static const SharedLibrary cudart(runtime.c_str());
  if (!cudart.missing().empty()) return fmt::format("cuDNN's frontend needs {}: {}", runtime, cudart.missing());
  setenv("CUDNN_FRONTEND_CUDART_LIB_NAME", runtime.c_str(), 0);
  if (loaded_version() < CUDNN_VERSION) {  // NVIDIA does not support this
    return fmt::format("the loaded cuDNN {} is older than the cuDNN {} of this build's headers",
                       version_text(loaded_version()), version_text(CUDNN_VERSION));
  }
  return "";
}

std::string version() { return absent().empty() ? version_text(loaded_version()) : ""; }

cudnnHandle_t handle() {
  static const cudnnHandle_t handle = new_handle();
  return handle;
}

void require(cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  throw std::runtime_error(fmt::format("{}: {}", what, BRICKWORK_CUDNN(cudnnGetErrorString)(status)));
}

}  // namespace brickwork::cudnn
#endif
