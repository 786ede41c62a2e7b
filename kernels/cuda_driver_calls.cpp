// What Kokkos calls of CUDA's driver, found when it is called. Were its library linked to, no program would be loaded
// where there is no driver, not even to say so.
#include <cuda.h>
#include <cuda_runtime_api.h>

namespace {

template <class Function, class... Arguments>
CUresult call(const char* name, Arguments... arguments) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how;
  const cudaError_t status = cudaGetDriverEntryPointByVersion(name, &found, CUDA_VERSION, cudaEnableDefault, &how);
  if (status != cudaSuccess || found == nullptr) return CUDA_ERROR_NOT_INITIALIZED;
  return reinterpret_cast<Function*>(found)(arguments...);
}

}  // namespace

CUresult cuCtxGetDevice(CUdevice* device) { return call<decltype(cuCtxGetDevice)>("cuCtxGetDevice", device); }
CUresult cuCtxPushCurrent(CUcontext context) { return call<decltype(cuCtxPushCurrent)>("cuCtxPushCurrent", context); }
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return call<decltype(cuStreamGetCtx)>("cuStreamGetCtx", stream, context);
}
