// The folder of a run's results: named by the user, after time and experiment, or a temporary one.
#pragma once
#include <filesystem>

#include "experiments/harness/rows/samples_csv.hpp"
#include "experiments/harness/run/experiment.hpp"
#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

class ResultsFolder {
 public:
  // Makes the folder. A run that keeps nothing gets a temporary one, because other processes of the run write there,
  // too. Throws std::runtime_error with one sentence.
  ResultsFolder(const Options&, const std::string& run);
  ~ResultsFolder();  // removes the temporary folder
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool temporary_;
};

// Takes the folder for this run alone: the samples.csv that it makes there tells other runs so. Throws
// std::runtime_error with one sentence if the folder holds another run's results, which stay as they are.
SamplesCsv claim_folder(const std::filesystem::path&, const RunInfo&, const Experiment&, PrintedRows* printed);

// "results/20250131T235959Z-conv-forward"
std::filesystem::path default_results(const std::string& run, const std::string& name);

}  // namespace brickwork
