#include "experiments/harness/rows/samples_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <type_traits>

#include "experiments/harness/rows/samples_columns.hpp"

namespace brickwork {
namespace {

std::string text(const std::string& value) { return value; }

template <class Number>
std::string text(std::optional<Number> value) {
  return value && !std::isnan(static_cast<double>(*value)) ? fmt::format("{}", *value) : "";
}

std::string text(const Column& column, const RunInfo& info, const Row& row) {
  const auto of = [&](auto cell) {
    if constexpr (std::is_member_pointer_v<decltype(cell)>) {
      return text(row.*cell);
    } else {
      return cell(info, row);
    }
  };
  return std::visit(of, column.cell);
}

bool holds_numbers(const Column& column) {
  return std::holds_alternative<std::optional<double> Row::*>(column.cell) ||
         std::holds_alternative<std::optional<int> Row::*>(column.cell) || column.is_number;
}

std::vector<PrintedColumn> columns(const std::vector<std::string>& size_columns) {
  std::vector<PrintedColumn> columns;
  for (const Column& column : kColumnsBefore) columns.push_back({column.name, holds_numbers(column)});
  for (const auto& size : size_columns) columns.push_back({size, true});
  for (const Column& column : kColumnsBehind) columns.push_back({column.name, holds_numbers(column)});
  std::set<std::string> names;
  for (const auto& column : columns) names.insert(column.name);
  if (names.size() != columns.size()) throw std::logic_error("a size column has the name of a column of every row");
  return columns;
}

std::vector<std::string> header(const std::vector<std::string>& size_columns) {
  std::vector<std::string> names;
  for (const auto& column : columns(size_columns)) names.push_back(column.name);
  return names;
}

}  // namespace

SamplesCsv::SamplesCsv(const std::filesystem::path& path, RunInfo info, std::vector<std::string> size_columns,
                       PrintedRows* printed)
    : info_(std::move(info)),
      size_columns_(std::move(size_columns)),
      file_(path, header(size_columns_)),
      printed_(printed) {
  if (printed_ != nullptr) printed_->begin(columns(size_columns_));
}

void SamplesCsv::flush() {
  file_.flush();
  if (printed_ != nullptr) printed_->flush();
}

void SamplesCsv::append(const Row& row) {
  std::vector<std::string> cells;
  for (const Column& column : kColumnsBefore) cells.push_back(text(column, info_, row));
  for (const auto& column : size_columns_) {
    const auto size = std::ranges::find(row.sizes, column, [](const auto& pair) { return pair.first; });
    cells.push_back(size == row.sizes.end() ? "" : size->second);
  }
  for (const Column& column : kColumnsBehind) cells.push_back(text(column, info_, row));
  file_.write_line(cells);
  if (printed_ != nullptr) printed_->append(cells);
}

}  // namespace brickwork
