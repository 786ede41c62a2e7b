// Times the tasks of one problem with Google Benchmark: several samples of each, interleaved at random.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/result.hpp"

namespace brickwork {

// Tests pass a clock of their own. It is read before and after a stretch of calls and never within, so that the cost of
// the call through a std::function, 1 ns beside the 23 ns of reading the clock on a Xeon with AMX, shows in no sample.
using Clock = std::function<std::chrono::steady_clock::time_point()>;

// The status and reason, for the row, of a task that failed while it was timed.
using Lost = std::optional<std::pair<Status, std::string>>;

struct TimedTask {
  std::string name;  // unique among the tasks of one call; "simd/run"
  std::function<void()> work;
  int samples = 1;
  std::function<void()> evict;  // empties the caches before every call, untimed; null in a hot run
  // Runs so many calls and gives their seconds by a device's own clock; null: the host's clock is used.
  std::function<double(std::int64_t calls)> device_seconds;
  // Receives the first failure of a call; no call follows it, and the times mean nothing. Tasks may share it. Null: no
  // call throws.
  Lost* lost = nullptr;
};

// seconds[i][s]: seconds of one call of task i in sample s. A sample is the mean over calls that last `min_time`
// seconds together. Samples that an interrupt cut off are missing.
//
// Hot work is called 1, 2, 4 ... times until a stretch of calls lasts 50 us; every sample consists of such stretches.
// One untimed call comes before this search, before each sample, and before each attempt of the engine, in the first
// sample of a task, to find how many stretches last `min_time`. With `evict` every stretch is one call on emptied
// caches, with no untimed call before it.
//
// Google Benchmark's own JSON goes to `benchmark_json`, unless interrupted. Throws std::runtime_error if that cannot be
// written.
std::vector<std::vector<double>> time_interleaved(const std::vector<TimedTask>&, double min_time,
                                                  const std::filesystem::path& benchmark_json,
                                                  const Clock& clock = std::chrono::steady_clock::now);

}  // namespace brickwork
