#include "experiments/harness/rows/printed_rows.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/harness/rows/csv_writer.hpp"
#include "experiments/harness/terminal/screen.hpp"

namespace brickwork {

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
