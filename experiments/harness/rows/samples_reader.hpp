// Reads samples.csv back while another process still writes it.
#pragma once
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/harness/rows/samples_csv.hpp"

struct csv_parser;

namespace brickwork {

class SamplesReader {
 public:
  using Cells = std::map<std::string, std::string>;  // by column

  explicit SamplesReader(std::filesystem::path);
  ~SamplesReader();

  // The rows since the last call. Throws std::runtime_error with one sentence if the file cannot be read or is no
  // table.
  std::vector<Cells> next_rows();

 private:
  void end_row();
  [[noreturn]] void refuse() const;

  std::filesystem::path path_;
  std::ifstream file_;
  std::unique_ptr<csv_parser> parser_;
  std::vector<std::string> header_, row_;
  std::vector<Cells> rows_;
  bool torn_ = false;  // a row is longer or shorter than the header
};

// `row`, which has the problem's sizes and setting, with the other columns from the cells. Throws std::runtime_error
// with one sentence if a column is missing, or a status or a number makes no sense.
Row measured_row(Row row, const SamplesReader::Cells&);

}  // namespace brickwork
