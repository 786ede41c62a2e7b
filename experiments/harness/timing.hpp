// Google Benchmark as the engine: the tasks of one problem, interleaved at random, several samples each.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace brickwork {

struct TimedTask {
  std::string name;  // unique among the tasks of one call; "simd/run"
  std::function<void()> work;
  int samples = 1;
  std::function<void()> before_each_call;  // untimed; null in a hot run
};

// seconds[i][s]: seconds of one call of task i in sample s. A sample is the mean over calls that last `min_time`
// seconds together. Samples that an interrupt cut off are missing.
// Google Benchmark's own JSON goes to `json`, unless interrupted; throws std::runtime_error where that cannot be
// written.
std::vector<std::vector<double>> time_interleaved(const std::vector<TimedTask>&, double min_time,
                                                  const std::filesystem::path& json);

}  // namespace brickwork
