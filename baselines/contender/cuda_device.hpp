// The GPU as contenders use it, CUDA's first device: memory, the queue and what it is. Free of CUDA's headers; a build
// without CUDA has it, too, and says that there is none.
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

struct CUstream_st;  // what a cudaStream_t points to

namespace brickwork::cuda {

struct DeviceInfo {
  std::string name;             // "NVIDIA H200"
  std::string isa;              // "sm_90"
  std::string driver, runtime;  // the CUDA versions that the driver can and that this program is built with: "13.0"
  int multiprocessors = 0;
  double clock_hz = 0, memory_clock_hz = 0;  // at most; where the driver says them
  std::int64_t memory_bytes = 0, l2_bytes = 0;
};
const DeviceInfo* device();  // null where it is absent

// What a library has nothing for, in one sentence.
class Refused : public std::runtime_error {
  using runtime_error::runtime_error;
};

// Where all work goes. A replay is a CUDA graph, with its clock's events as nodes of it, so that the host's share of a
// launch is in no time.
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
Queue& queue();  // of a stream of its own, where the device is not absent

// A contender's prepare() with what is the same of all on the device: the answer where there is none, where it refuses,
// and where its memory does not suffice.
Result<PreparedPtr> prepared(const std::function<PreparedPtr()>& prepare);

}  // namespace brickwork::cuda
