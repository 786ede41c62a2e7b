#include "experiments/harness/run/results_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "experiments/harness/rows/csv_writer.hpp"

namespace brickwork {

namespace fs = std::filesystem;

namespace {

fs::path temporary_folder() {
  std::error_code none;
  const fs::path parent = fs::temp_directory_path(none);
  std::string name = ((none ? fs::path("/tmp") : parent) / "brickwork-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error(fmt::format("the temporary folder {} cannot be made: {}", name, std::strerror(errno)));
  }
  return name;
}

}  // namespace

ResultsFolder::ResultsFolder(const Options& options, const std::string& run) : temporary_(options.keep_nothing) {
  if (temporary_) {
    path_ = temporary_folder();
    return;
  }
  path_ = options.out.empty() ? default_results(run, options.experiment) : fs::path(options.out);
  make_folder(path_);
}

ResultsFolder::~ResultsFolder() {
  std::error_code ignored;
  if (temporary_) fs::remove_all(path_, ignored);
}

SamplesCsv claim_folder(const fs::path& folder, const RunInfo& info, const Experiment& experiment,
                        PrintedRows* printed) {
  const fs::path record = folder / "environment.json";
  if (std::error_code error; fs::exists(record, error)) refuse_to_overwrite(record);
  std::vector<std::string> sizes;
  for (const auto& [column, value] : experiment.problems().front().sizes) sizes.push_back(column);
  return {folder / "samples.csv", info, std::move(sizes), printed};
}

fs::path default_results(const std::string& run, const std::string& name) {
  return fs::path("results") / fmt::format("{}-{}", run, name);
}

}  // namespace brickwork
