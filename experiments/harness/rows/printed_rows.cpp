#include "experiments/harness/rows/printed_rows.hpp"

#include <csv.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/harness/terminal/screen.hpp"

namespace brickwork {
namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted(2 * text.size() + 2, '\0');
  quoted.resize(csv_write(quoted.data(), quoted.size(), text.data(), text.size()));
  return quoted;
}

}  // namespace

PrintedRows::~PrintedRows() {
  if (format_ == RowFormat::as_json) text_ += any_ ? "\n]\n" : "[]\n";
  flush();
}

void PrintedRows::begin(std::vector<PrintedColumn> columns) {
  columns_ = std::move(columns);
  if (format_ != RowFormat::as_csv) return;
  std::vector<std::string> names;
  for (const auto& column : columns_) names.push_back(column.name);
  text_ += csv_line(names);
}

void PrintedRows::append(const std::vector<std::string>& cells) {
  if (format_ == RowFormat::as_csv) {
    text_ += csv_line(cells);
  } else {
    text_ += any_ ? ",\n" : "[\n";
    text_ += json_object(cells);
  }
  any_ = true;
}

void PrintedRows::flush() {
  if (!text_.empty()) put_rows(std::exchange(text_, {}));
}

std::string PrintedRows::csv_line(const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_cell(cells[i]);
  }
  return line += '\n';
}

std::string PrintedRows::json_object(const std::vector<std::string>& cells) const {
  using Json = nlohmann::ordered_json;
  Json object = Json::object();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Json& value = object[columns_[i].name];
    if (cells[i].empty()) continue;  // null
    if (columns_[i].is_number) value = Json::parse(cells[i], nullptr, false);
    if (!value.is_number()) value = cells[i];  // also a word among numbers, and "inf"
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace brickwork
