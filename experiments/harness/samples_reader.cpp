#include "samples_reader.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <new>
#include <stdexcept>
#include <utility>

#include "result.hpp"

namespace brickwork {
namespace {

using Cells = SamplesReader::Cells;

const std::string& text(const Cells& cells, const char* column) {
  const auto cell = cells.find(column);
  if (cell == cells.end()) throw std::runtime_error(fmt::format("its samples lack the column {}", column));
  return cell->second;
}

// Nothing where the cell is empty.
template <class Number>
std::optional<Number> number(const Cells& cells, const char* column) {
  const std::string& digits = text(cells, column);
  if (digits.empty()) return std::nullopt;
  Number value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw std::runtime_error(fmt::format("its samples have a {} of '{}', which is no number", column, digits));
  }
  return value;
}

std::string status(const Cells& cells) {
  const std::string& word = text(cells, "status");
  for (const Status known : {Status::ok, Status::unsupported, Status::absent, Status::misfit, Status::failed}) {
    if (word == to_string(known)) return word;
  }
  throw std::runtime_error(fmt::format("its samples have a status of '{}', which is none", word));
}

}  // namespace

Row measured_row(Row row, const Cells& cells) {
  row.problem = text(cells, "problem");
  row.primitive = text(cells, "primitive");
  row.pass = text(cells, "pass");
  row.contender = text(cells, "contender");
  row.ours = text(cells, "ours");
  row.backend = text(cells, "backend");
  row.version = text(cells, "version");
  row.implementation = text(cells, "implementation");
  row.isa = text(cells, "isa");
  row.phase = text(cells, "phase");
  row.plan = text(cells, "plan");
  row.tuning = text(cells, "tuning");
  row.status = status(cells);
  row.reason = text(cells, "reason");
  row.max_error = number<double>(cells, "max_error");
  row.sample = number<int>(cells, "sample");
  row.seconds = number<double>(cells, "seconds");
  row.flop = number<double>(cells, "flop");
  row.least_flop = number<double>(cells, "least_flop");
  row.bytes = number<double>(cells, "bytes");
  return row;
}

SamplesReader::SamplesReader(std::filesystem::path path)
    : path_(std::move(path)), file_(path_), parser_(std::make_unique<csv_parser>()) {
  if (csv_init(parser_.get(), CSV_STRICT) != 0) throw std::bad_alloc();
}

SamplesReader::~SamplesReader() { csv_free(parser_.get()); }

std::vector<SamplesReader::Cells> SamplesReader::next_rows() {
  file_.clear();  // of the end that it came to last time
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
