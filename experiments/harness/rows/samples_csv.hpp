// samples.csv: one tidy row per sample, so that no later reader has to know anything else.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/harness/rows/csv_writer.hpp"

namespace brickwork {

// What is the same in all rows of a run.
struct RunInfo {
  std::string run, experiment, figure, shapes;
  std::size_t shapes_size = 0;  // 0: there is no shape set
  int threads = 1;
  std::string cache;  // hot, cold
};

// An empty text or optional is an empty cell: the column does not apply.
struct Row {
  std::string problem, name;
  int count = 1;
  std::vector<std::pair<std::string, std::string>> sizes;  // those of the file's size columns that apply
  std::string primitive, pass;
  std::string contender, ours, backend, version, implementation, isa, tuning, dtype;  // ours: yes, no
  std::string device = "cpu";
  std::string setting;  // what the rows of one figure have in common
  std::string phase, plan;
  std::string bound;  // flops, bytes
  std::string status, reason;
  std::optional<double> max_error;
  std::optional<int> sample;
  std::optional<double> seconds, flop, least_flop, bytes;
};

class SamplesCsv {
 public:
  // As CsvWriter has it.
  SamplesCsv(const std::filesystem::path&, RunInfo, std::vector<std::string> size_columns);

  void append(const Row&);
  void flush() { file_.flush(); }

 private:
  RunInfo info_;
  std::vector<std::string> size_columns_;
  CsvWriter file_;
};

}  // namespace brickwork
