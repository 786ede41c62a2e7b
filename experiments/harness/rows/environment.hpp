// environment.json: everything about machine, build and surroundings that a number may depend on.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/harness/run/experiment.hpp"
#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

class EnvironmentRecord {
 public:
  // Takes the record of the start. Throws std::runtime_error with one sentence where the file cannot be written.
  // The options outlive it. The contenders know which version of a library they were built with: programs differ.
  EnvironmentRecord(std::filesystem::path file, const Options&, const std::vector<ContenderInfo>&);

  // The exit code of run(), or what it throws; by then the record has what only the end knows: peak memory, load,
  // duration.
  int around(const std::function<int()>& run);
  static std::int64_t peak_memory_bytes();  // of this process so far

 private:
  void finish(int exit_code);
  void write() const;

  std::filesystem::path file_;
  const Options& options_;
  std::shared_ptr<nlohmann::ordered_json> record_;
  double start_;
};

// Paths of the OpenMP runtimes in what /proc/<process>/maps says of a process.
std::vector<std::string> openmp_runtimes(std::istream& maps);

// What makes the numbers of this run doubtful, one sentence each: several OpenMP runtimes, threads that share a
// core or have less CPU time than they need, variables that tell a library which of its kernels to use, a tuning that
// had to be the default.
std::vector<std::string> environment_warnings(const Options&);

// Google Benchmark takes options from variables, and a filter among them would remove contenders without a word.
// Throws std::invalid_argument with one sentence where there is one.
void refuse_engine_variables();

std::string utc_timestamp();  // "20250131T235959Z"

}  // namespace brickwork
