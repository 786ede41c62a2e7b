// Reads a CSV file line by line and gives the fields by column name. Text is UTF-8; empty lines are skipped. Everything
// here throws std::invalid_argument with one sentence: file, line, column, what is wrong and what would be right.
#pragma once
#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace brickwork {

class CsvReader {
 public:
  // `needs`: the columns that the file must have, for the message about an empty file.
  CsvReader(std::istream&, std::string_view file, std::string_view needs);

  const std::vector<std::string>& header() const { return header_; }
  int line() const { return line_; }

  bool next();  // moves to the next line; false at the end of the file
  bool has(std::string_view column) const;
  const std::string& text(std::string_view column) const { return values_.find(column)->second; }
  std::int64_t number(std::string_view column, std::int64_t least, std::int64_t most = std::int64_t{1} << 40) const;
  [[noreturn]] void refuse(const std::string& sentence) const;  // with file and line before it

 private:
  bool next_line(std::string& text);

  std::istream& in_;
  std::string file_;
  std::vector<std::string> header_;
  std::map<std::string, std::string, std::less<>> values_;
  int line_ = 0;
};

}  // namespace brickwork
