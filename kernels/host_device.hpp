// Marks a function that both the host and a device (CUDA, HIP) may call.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define BRICKWORK_HOST_DEVICE __host__ __device__
#else
#define BRICKWORK_HOST_DEVICE
#endif
