// environment.json: the properties of machine, build and environment that a result may depend on.
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
  // Writes the record at the start of a run. Throws std::runtime_error with one sentence if the file cannot be written.
  // The options outlive it. The versions of libraries come from the contenders, because our programs differ in them.
  EnvironmentRecord(std::filesystem::path file, const Options&, const std::vector<ContenderInfo>&);

  // Calls run() and adds peak memory, load, duration and exit code to the record. Gives run()'s exit code, or throws
  // what it throws.
  int around(const std::function<int()>& run);

 private:
  void finish(int exit_code);
  void write() const;

  std::filesystem::path file_;
  const Options& options_;
  std::shared_ptr<nlohmann::ordered_json> record_;
  double start_;
};

// The paths of the OpenMP runtimes in a process's /proc/<process>/maps.
std::vector<std::string> openmp_runtimes(std::istream& maps);

// Reasons to doubt the results of this run, one sentence each: several OpenMP runtimes, threads that share a core or
// have too little CPU time, variables that tell a library which kernels to use, a calibration that failed.
std::vector<std::string> environment_warnings(const Options&);

// Google Benchmark reads options from environment variables, and its filter would remove contenders silently. Throws
// std::invalid_argument with one sentence if one of the variables is set.
void refuse_engine_variables();

std::string utc_timestamp();  // "20250131T235959Z"

}  // namespace brickwork
