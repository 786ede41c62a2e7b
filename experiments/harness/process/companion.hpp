// Measures a contender whose library must not share our process (contender.hpp, Elsewhere). Another program of ours
// measures it problem by problem while we do nothing. It uses this harness, so its rows have the same meaning as ours.
// It also measures the limits of its own threads.
#pragma once
#include <filesystem>
#include <optional>
#include <utility>

#include "experiments/harness/process/child_process.hpp"
#include "experiments/harness/rows/samples_csv.hpp"
#include "experiments/harness/rows/samples_reader.hpp"
#include "experiments/harness/run/experiment.hpp"
#include "experiments/harness/run/turns.hpp"
#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

// The name of a limit that was measured for such a contender: "onednn-latest/fma-peak".
std::string named_elsewhere(std::string_view contender, std::string_view machine_row);

class Companion {
 public:
  // The referenced arguments must outlive this object. The program starts with the first measure(), and starts again
  // after it died. It writes its own results into `<contender>` in `folder`, those of a second start into
  // `<contender>-2`.
  Companion(const Experiment&, const ContenderInfo&, const Options&, std::filesystem::path folder);

  const std::string& name() const { return contender_.name; }

  struct Measured {
    std::vector<Row> rows;
    Row verdict;                  // the contender's first row
    std::vector<double> seconds;  // of the contender's runs
    double limit = 0;  // flop/s of the loaded roof or bytes/s of the stream, measured there; 0 if nothing was timed
  };

  // Measures one problem; the rows are `problem_row`, completed. If the program dies, sends nonsense or cannot be
  // started, there is one row, with status failed or absent. Returns nullopt after an interrupt without an answer.
  std::optional<Measured> measure(std::size_t problem, int samples, const Row& problem_row);

 private:
  struct Running {
    Running(const std::vector<std::string>& argv, const Surroundings& surroundings) : process(argv, surroundings) {}
    ChildProcess process;
    std::optional<SamplesReader> samples;  // set once the file exists
  };

  std::vector<std::string> command(const std::filesystem::path& folder) const;
  Result<std::vector<Row>> ask(const Turn&, const Row& problem_row);
  std::vector<Row> rows_of(const Row& problem_row);

  const Experiment& experiment_;
  const ContenderInfo& contender_;
  const Options& options_;
  std::filesystem::path folder_, started_in_;
  int starts_ = 0;
  bool answered_ = false;                                  // at least once
  std::optional<std::pair<Status, std::string>> refusal_;  // why it cannot be measured: it is not tried again
  std::optional<Running> running_;
};

}  // namespace brickwork
