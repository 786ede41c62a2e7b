// Macros for code that host and device (CUDA, HIP) share: functions that both may call; loops that the device compiler
// must unroll, so that arrays indexed in them stay in registers instead of device memory, or must not unroll; and
// functions that must not be inlined, so that their registers do not add to the caller's.
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
