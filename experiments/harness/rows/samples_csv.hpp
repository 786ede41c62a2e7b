// samples.csv: one row per sample with all properties of the run, so that a reader needs no other file.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/harness/rows/csv_writer.hpp"
#include "experiments/harness/rows/printed_rows.hpp"

namespace brickwork {

// The cells that are equal in all rows of a run.
struct RunInfo {
  std::string run, experiment, figure, shapes;
  std::size_t shapes_size = 0;  // 0: there is no shape set
  int threads = 1;
  std::string cache;  // hot, cold
};

// An empty text or optional becomes an empty cell: the column does not apply.
struct Row {
  std::string problem, name;
  int count = 1;
  std::vector<std::pair<std::string, std::string>> sizes;  // column, value
  std::string primitive, pass;
  std::string contender, ours, backend, version, implementation, isa, tuning, dtype;  // ours: yes, no
  std::string device = "cpu";
  std::string setting;  // shared by all rows of one figure
  std::string phase, plan;
  std::string bound;  // flops, bytes
  std::string status, reason;
  std::optional<double> max_error;
  std::optional<int> sample;
  std::optional<double> seconds, flop, least_flop, bytes, peak_bytes, plan_seconds;
};

class SamplesCsv {
 public:
  // Throws as CsvWriter does. A size column holds numbers or words. `printed` receives the same rows; it may be null
  // and outlives this object.
  SamplesCsv(const std::filesystem::path&, RunInfo, std::vector<std::string> size_columns,
             PrintedRows* printed = nullptr);

  void append(const Row&);
  void flush();  // to the disk, and to standard output

 private:
  RunInfo info_;
  std::vector<std::string> size_columns_;
  CsvWriter file_;
  PrintedRows* printed_;
};

}  // namespace brickwork
