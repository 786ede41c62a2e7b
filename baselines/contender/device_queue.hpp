// Work that a device such as a GPU does after it was queued: how the checker waits for it, and how it is timed.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

namespace brickwork {

// A contender's run, recorded once, so that repeating it costs the host no time that a measurement could show.
class Replay {
 public:
  virtual ~Replay() = default;
  // Time of `runs` runs, one after the other, by the device's clock. Returns when they are done; throws
  // std::runtime_error with the device's message if one of them failed.
  virtual double seconds(std::int64_t runs) = 0;
};

// Queued work is done in order. All functions throw std::runtime_error if the device fails, or failed in work queued
// earlier.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;
  virtual void wait() = 0;
  // `run` queues the same work whenever it is called. The replay calls it again when asked for another number of runs,
  // and must not outlive it.
  virtual std::unique_ptr<Replay> record(std::function<void()> run) = 0;
  virtual void displace_cache() = 0;  // queues work that fills the device's cache with other data
};

}  // namespace brickwork
