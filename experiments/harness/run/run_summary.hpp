// Counts checks and samples during a run, for the lines that the run prints last.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/harness/rows/samples_csv.hpp"
#include "experiments/harness/terminal/options.hpp"
#include "experiments/harness/terminal/progress.hpp"

namespace brickwork {

class RunSummary {
 public:
  explicit RunSummary(const Options& options) : options_(options) {}  // `options` must outlive this object

  // Records that this build or machine lacks the contender's library.
  void absent(const std::string& contender) { absent_.push_back(contender); }
  bool is_absent(const std::string& contender) const;
  std::string absent_line() const;  // "absent here: onednn-latest, pytorch; ..."; empty if no contender is absent

  void count(const Row& verdict);   // counts the check of one contender on one problem
  void count_lost(const Row& row);  // counts `row` in place of a passed check: right, but it could not be timed
  void samples(
      int of_one_problem);  // records how many samples one problem got; the options say how many were asked for

  int checked() const { return passed_ + failed_; }
  int failed() const { return failed_; }

  // A brief run has one line, which begins with the experiment's name.
  std::vector<std::string> lines(const Progress&) const;

 private:
  struct Check {
    int passed = 0, failed = 0, skipped = 0;
    double error = -1;  // largest; negative: nothing was compared
    std::string problem;
  };

  std::string counts() const;
  std::string fewer_samples() const;
  std::string largest_error() const;
  std::string brief_line(const Progress&) const;

  const Options& options_;
  std::vector<std::string> absent_, order_;  // contenders; order_: as first counted
  std::map<std::string, Check> checks_;      // by contender
  int passed_ = 0, failed_ = 0, skipped_ = 0;
  int problems_ = 0, with_fewer_ = 0, fewest_ = 0, most_ = 0;  // fewest_, most_: samples of one problem
};

}  // namespace brickwork
