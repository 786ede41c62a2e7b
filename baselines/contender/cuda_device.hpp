// The GPU as contenders use it (CUDA's first device): its properties, memory and queue. Includes no CUDA header; in a
// build without CUDA it says that there is no device.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "baselines/contender/contender.hpp"
#include "kernels/gpu/cuda/cuda_memory.hpp"

struct CUstream_st;  // a cudaStream_t points to it

namespace brickwork::cuda {

struct DeviceInfo {
  std::string name;             // "NVIDIA H200"
  std::string isa;              // "sm_90"
  std::string driver, runtime;  // CUDA versions of the driver and of this build: "13.0"
  int multiprocessors = 0;
  double clock_hz = 0, memory_clock_hz = 0;  // maxima, if the driver tells them
  std::int64_t memory_bytes = 0, l2_bytes = 0;
};
const DeviceInfo* device();  // null if the device is absent

// The library cannot do the problem; what() says why, in one sentence.
class Refused : public std::runtime_error {
  using runtime_error::runtime_error;
};

// The queue of all contenders. A replay is a CUDA graph with the clock's events as its nodes, so that no time includes
// the host's share of a launch.
class Queue final : public DeviceQueue {
 public:
  explicit Queue(CUstream_st* stream) : stream_(stream) {}
  void wait() override;
  std::unique_ptr<Replay> record(std::function<void()> run) override;
  void displace_cache() override;
  CUstream_st* stream() const { return stream_; }

 private:
  CUstream_st* stream_;
  std::optional<CudaMemory<std::byte>> displacing_;
};
Queue& queue();  // has its own stream; only if the device is not absent

// Wraps a contender's prepare() for the cases that all contenders on the device share: no device, a refusal, too little
// device memory.
Result<PreparedPtr> prepared(const std::function<PreparedPtr()>& prepare);

}  // namespace brickwork::cuda
