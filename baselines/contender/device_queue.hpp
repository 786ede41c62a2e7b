// Work that a device does after it was asked to, as a GPU does: how the checker waits for it and how it is timed,
// whatever the device.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

namespace brickwork {

// A contender's run, recorded once, so that doing it again costs the host nothing that a time could show.
class Replay {
 public:
  virtual ~Replay() = default;
  // Of so many runs, one after the other, by the device's clock. Returns when they are done; throws std::runtime_error
  // with the device's words where one of them failed.
  virtual double seconds(std::int64_t runs) = 0;
};

// What is queued is done in order. All throw std::runtime_error where the device fails, or failed at what was queued
// before.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;
  virtual void wait() = 0;
  // `run` queues the same work whenever it is called; the replay calls it again where it is asked for another number of
  // runs, and must not outlive it.
  virtual std::unique_ptr<Replay> record(std::function<void()> run) = 0;
  virtual void displace_cache() = 0;  // queues that other data take the device's cache
};

}  // namespace brickwork
