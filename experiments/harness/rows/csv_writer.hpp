// A line of CSV, and a run's CSV file, written line by line.
#pragma once
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace brickwork {

// Throws std::runtime_error with one sentence if it cannot be made.
void make_folder(const std::filesystem::path&);

[[noreturn]] void refuse_to_overwrite(const std::filesystem::path&);

// With its end of line. A cell with a comma, a quotation mark or an end of line is quoted.
std::string csv_line(const std::vector<std::string>& cells);

class CsvWriter {
 public:
  // Creates the file with its header. Refuses a file that exists, because it is another run's. Everything here throws
  // std::runtime_error with one sentence if it cannot write.
  CsvWriter(const std::filesystem::path&, const std::vector<std::string>& header);

  void write_line(const std::vector<std::string>& cells);
  void flush();  // to the disk, so that the lines survive a crash

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void cannot_write() const;

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace brickwork
