// Google Benchmark as the engine: the tasks of one problem, interleaved at random, several samples each.
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

// Tests drive their own. It is read before and after a stretch of calls and never within, so that what a call through a
// std::function adds to reading the clock, some 1 ns to 23 on a Xeon with AMX, shows in no sample.
using Clock = std::function<std::chrono::steady_clock::time_point()>;

// Why something could not go on, and as what that stands in rows.
using Lost = std::optional<std::pair<Status, std::string>>;

struct TimedTask {
  std::string name;  // unique among the tasks of one call; "simd/run"
  std::function<void()> work;
  int samples = 1;
  std::function<void()> evict;  // empties the caches before every call, untimed; none in a hot run
  // Seconds of so many calls where a device has a clock of its own; else they are read off the run's.
  std::function<double(std::int64_t calls)> device_seconds;
  // Takes the first failure of a call, after which none follows, and the times mean nothing; tasks may share it. Null:
  // none of them throws.
  Lost* lost = nullptr;
};

// seconds[i][s]: seconds of one call of task i in sample s. A sample is the mean over calls that last `min_time`
// seconds together. Samples that an interrupt cut off are missing.
//
// Hot work is called 1, 2, 4 ... times until a stretch of calls lasts 50 us; all samples consist of such stretches. One
// call that is not timed goes before that, before each sample, and before each try of the engine, in the first sample
// of a task, at how many stretches last `min_time`. With `evict` every stretch is one call on emptied caches, and no
// other goes before it.
//
// Google Benchmark's own JSON goes to `benchmark_json`, unless interrupted; throws std::runtime_error where that cannot
// be written.
std::vector<std::vector<double>> time_interleaved(const std::vector<TimedTask>&, double min_time,
                                                  const std::filesystem::path& benchmark_json,
                                                  const Clock& clock = std::chrono::steady_clock::now);

}  // namespace brickwork
