// Reads a whole CSV file back, for tests.
#pragma once
#include <csv.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace brickwork {

class CsvTable {
 public:
  explicit CsvTable(const std::filesystem::path& path) {
    std::ifstream in(path);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    csv_parser parser;
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    const auto on_cell = [](void* cell, std::size_t size, void* self) {
      static_cast<CsvTable*>(self)->current_.emplace_back(static_cast<const char*>(cell), size);
    };
    const auto on_row = [](int, void* self) {
      auto* table = static_cast<CsvTable*>(self);
      table->rows_.push_back(std::exchange(table->current_, {}));
    };
    const bool parsed = csv_parse(&parser, text.data(), text.size(), on_cell, on_row, this) == text.size() &&
                        csv_fini(&parser, on_cell, on_row, this) == 0;
    csv_free(&parser);
    if (!parsed || rows_.empty()) throw std::runtime_error(path.string() + " is no CSV table");
    header_ = rows_.front();
    rows_.erase(rows_.begin());
    for (const auto& row : rows_) {
      if (row.size() != header_.size()) throw std::runtime_error(path.string() + " has a row of another length");
    }
  }

  std::size_t rows() const { return rows_.size(); }
  const std::vector<std::string>& header() const { return header_; }
  const std::string& at(std::size_t row, const std::string& column) const {
    const auto it = std::ranges::find(header_, column);
    if (it == header_.end()) throw std::out_of_range("there is no column " + column);
    return rows_.at(row).at(static_cast<std::size_t>(it - header_.begin()));
  }

 private:
  std::vector<std::string> header_, current_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace brickwork
