#include "experiments/harness/rows/samples_reader.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "experiments/harness/rows/samples_columns.hpp"
#include "kernels/base/result.hpp"

namespace brickwork {
namespace {

using Cells = SamplesReader::Cells;

void read_cell(const std::string& text, const char*, std::string& value) { value = text; }

// An empty cell gives nullopt.
template <class Number>
void read_cell(const std::string& text, const char* column, std::optional<Number>& value) {
  value.reset();
  if (text.empty()) return;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value.emplace());
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error(fmt::format("its samples have a {} of '{}', which is no number", column, text));
  }
}

void read_cell(const Column& column, const Cells& cells, Row& row) {
  const auto into = [&](auto cell) {
    if constexpr (std::is_member_pointer_v<decltype(cell)>) {
      const auto found = cells.find(column.name);
      if (found == cells.end()) throw std::runtime_error(fmt::format("its samples lack the column {}", column.name));
      read_cell(found->second, column.name, row.*cell);
    }
  };
  std::visit(into, column.cell);
}

void check_status(const std::string& word) {
  for (const Status known : {Status::ok, Status::unsupported, Status::absent, Status::misfit, Status::failed}) {
    if (word == to_string(known)) return;
  }
  throw std::runtime_error(fmt::format("its samples have a status of '{}', which is no status", word));
}

}  // namespace

Row measured_row(Row row, const Cells& cells) {
  for (const Column& column : kColumnsBefore) read_cell(column, cells, row);
  for (const Column& column : kColumnsBehind) read_cell(column, cells, row);
  check_status(row.status);
  return row;
}

SamplesReader::SamplesReader(std::filesystem::path path)
    : path_(std::move(path)), file_(path_), parser_(std::make_unique<csv_parser>()) {
  if (csv_init(parser_.get(), CSV_STRICT) != 0) throw std::bad_alloc();
}

SamplesReader::~SamplesReader() { csv_free(parser_.get()); }

std::vector<SamplesReader::Cells> SamplesReader::next_rows() {
  file_.clear();  // the end of the file that it met last time
  const std::string text(std::istreambuf_iterator<char>(file_), {});
  const auto on_cell = [](void* cell, std::size_t size, void* self) {
    static_cast<SamplesReader*>(self)->row_.emplace_back(static_cast<const char*>(cell), size);
  };
  const auto on_row = [](int, void* self) { static_cast<SamplesReader*>(self)->end_row(); };
  if (csv_parse(parser_.get(), text.data(), text.size(), on_cell, on_row, this) != text.size()) refuse();
  if (torn_ || header_.empty()) refuse();
  return std::exchange(rows_, {});
}

void SamplesReader::end_row() {
  auto row = std::exchange(row_, {});
  if (header_.empty()) {
    header_ = std::move(row);
    return;
  }
  torn_ = torn_ || row.size() != header_.size();
  if (torn_) return;
  Cells cells;
  for (std::size_t i = 0; i < row.size(); ++i) cells[header_[i]] = std::move(row[i]);
  rows_.push_back(std::move(cells));
}

void SamplesReader::refuse() const {
  throw std::runtime_error(fmt::format("{} is no table of samples", path_.string()));
}

}  // namespace brickwork
