// Marks a function that both the host and a device (CUDA, HIP) may call, and a loop that must be unrolled there: an
// array that is indexed in a loop lies in a device's memory, not in its registers.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define BRICKWORK_HOST_DEVICE __host__ __device__
#define BRICKWORK_DEVICE_UNROLL _Pragma("unroll")
#else
#define BRICKWORK_HOST_DEVICE
#define BRICKWORK_DEVICE_UNROLL
#endif
