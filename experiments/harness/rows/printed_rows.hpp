// The rows of samples.csv on standard output, for a program that reads them from a pipe.
#pragma once
#include <string>
#include <vector>

#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

struct PrintedColumn {
  std::string name;
  bool is_number = false;  // JSON gets its cells as numbers, if they are
};

// CSV is printed as the header and a line for each row, JSON as one array with an object for each row. An empty cell is
// null in JSON.
class PrintedRows {
 public:
  explicit PrintedRows(RowFormat format) : format_(format) {}
  ~PrintedRows();  // ends the JSON array
  PrintedRows(const PrintedRows&) = delete;
  PrintedRows& operator=(const PrintedRows&) = delete;

  void begin(std::vector<PrintedColumn>);  // before the first row
  void append(const std::vector<std::string>& cells);
  void flush();  // prints the rows since the last call

 private:
  std::string json_object(const std::vector<std::string>& cells) const;

  RowFormat format_;
  std::vector<PrintedColumn> columns_;
  std::string text_;  // not printed yet
  bool any_ = false;
};

}  // namespace brickwork
