// Marks a function that both the host and a device (CUDA, HIP) may call, and a loop that must be unrolled there, as
// an array that is indexed in a loop lies in a device's memory, not in its registers, or must not; and a function whose
// registers are not to be those of its caller, too.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define BRICKWORK_HOST_DEVICE __host__ __device__
#define BRICKWORK_DEVICE_UNROLL _Pragma("unroll")
#define BRICKWORK_DEVICE_NO_UNROLL _Pragma("unroll 1")
#define BRICKWORK_DEVICE_NOINLINE __noinline__
#else
#define BRICKWORK_HOST_DEVICE
#define BRICKWORK_DEVICE_UNROLL
#define BRICKWORK_DEVICE_NO_UNROLL
#define BRICKWORK_DEVICE_NOINLINE
#endif
