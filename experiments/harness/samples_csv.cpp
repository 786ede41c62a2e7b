#include "samples_csv.hpp"

#include <csv.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "samples_columns.hpp"

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

}  // namespace

SamplesCsv::SamplesCsv(const std::filesystem::path& path, RunInfo info, std::vector<std::string> size_columns)
    : path_(path),
      info_(std::move(info)),
      size_columns_(std::move(size_columns)),
      file_(std::fopen(path.c_str(), "wx")) {
  if (!file_ && errno == EEXIST) {
    if (std::filesystem::is_regular_file(path)) refuse_to_overwrite(path);
    file_.reset(std::fopen(path.c_str(), "w"));  // a device
  }
  if (!file_) cannot_write();
  std::vector<std::string> header;
  for (const Column& column : kColumnsBefore) header.emplace_back(column.name);
  header.insert(header.end(), size_columns_.begin(), size_columns_.end());
  for (const Column& column : kColumnsBehind) header.emplace_back(column.name);
  write_line(header);
  flush();
}

void SamplesCsv::append(const Row& row) {
  std::vector<std::string> cells;
  for (const Column& column : kColumnsBefore) cells.push_back(text(column, info_, row));
  for (const auto& column : size_columns_) {
    const auto size = std::ranges::find(row.sizes, column, [](const auto& pair) { return pair.first; });
    cells.push_back(size == row.sizes.end() ? "" : size->second);
  }
  for (const Column& column : kColumnsBehind) cells.push_back(text(column, info_, row));
  write_line(cells);
}

void SamplesCsv::flush() {
  if (std::fflush(file_.get()) != 0) cannot_write();
  if (fsync(fileno(file_.get())) != 0 && errno != EINVAL && errno != EROFS) cannot_write();  // EINVAL: not on a disk
}

void SamplesCsv::refuse_to_overwrite(const std::filesystem::path& path) {
  throw std::runtime_error(fmt::format("{} already holds a run's {}: name another folder", path.parent_path().string(),
                                       path.filename().string()));
}

void SamplesCsv::write_line(const std::vector<std::string>& cells) {
  const char* separator = "";
  for (const auto& text : cells) {
    std::fputs(separator, file_.get());
    separator = ",";
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
      std::fputs(text.c_str(), file_.get());
    } else {
      csv_fwrite(file_.get(), text.data(), text.size());
    }
  }
  std::fputc('\n', file_.get());
  if (std::ferror(file_.get())) cannot_write();
}

void SamplesCsv::cannot_write() const {
  throw std::runtime_error(fmt::format("{} cannot be written: {}", path_.string(), std::strerror(errno)));
}

}  // namespace brickwork
