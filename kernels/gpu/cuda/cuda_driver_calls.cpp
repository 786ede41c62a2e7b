// The functions of CUDA's driver that Kokkos calls, looked up at run time. If the program were linked to the driver's
// library, it could not start without a driver, not even to say so.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

namespace {

// Calls the function as of the CUDA version that gave it these arguments; later versions use the name for other ones.
template <class Function, class... Arguments>
CUresult call(const char* name, unsigned version, Arguments... arguments) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how;
  const cudaError_t status = cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &how);
  if (status != cudaSuccess || found == nullptr) return CUDA_ERROR_NOT_INITIALIZED;
  return reinterpret_cast<Function>(found)(arguments...);
}

}  // namespace

CUresult cuCtxGetDevice(CUdevice* device) { return call<PFN_cuCtxGetDevice_v2000>("cuCtxGetDevice", 2000, device); }
CUresult cuCtxPushCurrent(CUcontext context) {
  return call<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent", 4000, context);
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return call<PFN_cuStreamGetCtx_v9020>("cuStreamGetCtx", 9020, stream, context);
}
