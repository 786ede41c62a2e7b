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

std::vector<std::string> header(const std::vector<std::string>& size_columns) {
  std::vector<std::string> names;
  for (const Column& column : kColumnsBefore) names.emplace_back(column.name);
  names.insert(names.end(), size_columns.begin(), size_columns.end());
  for (const Column& column : kColumnsBehind) names.emplace_back(column.name);
  if (std::set(names.begin(), names.end()).size() != names.size()) {
    throw std::logic_error("a problem's column is called as one that every row has");
  }
  return names;
}

}  // namespace

SamplesCsv::SamplesCsv(const std::filesystem::path& path, RunInfo info, std::vector<std::string> size_columns)
    : info_(std::move(info)), size_columns_(std::move(size_columns)), file_(path, header(size_columns_)) {}

void SamplesCsv::append(const Row& row) {
  std::vector<std::string> cells;
  for (const Column& column : kColumnsBefore) cells.push_back(text(column, info_, row));
  for (const auto& column : size_columns_) {
    const auto size = std::ranges::find(row.sizes, column, [](const auto& pair) { return pair.first; });
    cells.push_back(size == row.sizes.end() ? "" : size->second);
  }
  for (const Column& column : kColumnsBehind) cells.push_back(text(column, info_, row));
  file_.write_line(cells);
}

}  // namespace brickwork
