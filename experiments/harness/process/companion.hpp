// A contender whose library must not share a process with ours (contender.hpp, Elsewhere): another program of ours
// measures it, problem by problem and while we do nothing, with this very harness, so that its rows say what all rows
// say. Beside it that program measures what its own threads can reach at most.
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

// What the machine showed beside such a contender has its name in front: "onednn-latest/fma-peak".
std::string named_elsewhere(std::string_view contender, std::string_view machine_row);

class Companion {
 public:
  // The contender and all else outlive it. The program is started when it is first asked, and anew after it died. It
  // keeps its own record of the run in a folder `<contender>` of `folder`, of a second start in `<contender>-2`.
  Companion(const Experiment&, const ContenderInfo&, const Options&, std::filesystem::path folder);

  const std::string& name() const { return contender_.name; }

  struct Measured {
    std::vector<Row> rows;
    Row verdict;                  // one of them: the contender's first
    std::vector<double> seconds;  // of the contender's runs
    double limit = 0;  // flop/s of the loaded roof, or bytes/s of the stream, beside them; 0 where nothing was timed
  };

  // One problem's rows are `problem_row`, completed: that of a failed or absent contender where the program dies, tells
  // nonsense or cannot be started. Nothing where an interrupt came first.
  std::optional<Measured> measure(std::size_t problem, int samples, const Row& problem_row);

 private:
  struct Running {
    Running(const std::vector<std::string>& argv, const Surroundings& surroundings) : process(argv, surroundings) {}
    ChildProcess process;
    std::optional<SamplesReader> samples;  // once there is a file
  };

  std::vector<std::string> command(const std::filesystem::path& folder) const;
  Result<std::vector<Row>> ask(const Turn&, const Row& problem_row);
  std::vector<Row> rows_of(const Row& problem_row);

  const Experiment& experiment_;
  const ContenderInfo& contender_;
  const Options& options_;
  std::filesystem::path folder_, started_in_;
  int starts_ = 0;
  bool answered_ = false;                                  // ever
  std::optional<std::pair<Status, std::string>> refusal_;  // why it cannot be measured; then it is not tried again
  std::optional<Running> running_;
};

}  // namespace brickwork
