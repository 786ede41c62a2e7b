#include "experiments/harness/rows/csv_reader.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>

#include "experiments/harness/terminal/utf8.hpp"

namespace brickwork {
namespace {

std::vector<std::string> csv_fields(const std::string& text, const std::function<void(const std::string&)>& refuse) {
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  const std::unique_ptr<csv_parser, decltype(&csv_free)> free_parser(&parser, csv_free);
  std::vector<std::string> fields;
  const auto add = [](void* field, std::size_t size, void* out) {
    static_cast<std::vector<std::string>*>(out)->emplace_back(static_cast<const char*>(field), size);
  };
  if (csv_parse(&parser, text.data(), text.size(), add, nullptr, &fields) != text.size() ||
      csv_fini(&parser, add, nullptr, &fields) != 0) {
    refuse("the quotes do not match: write a quote inside a quoted field twice");
  }
  return fields;
}

}  // namespace

CsvReader::CsvReader(std::istream& in, std::string_view file, std::string_view needs) : in_(in), file_(file) {
  std::string text;
  if (!next_line(text)) throw std::invalid_argument(fmt::format("{}: the file is empty: {}", file_, needs));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // the byte order mark that spreadsheets write
  header_ = csv_fields(text, [&](const auto& sentence) { refuse(sentence); });
  for (const auto& name : header_) {
    if (std::ranges::count(header_, name) > 1) refuse(fmt::format("column {} is there twice: keep one", name));
  }
}

bool CsvReader::next() {
  std::string text;
  if (!next_line(text)) return false;
  const auto fields = csv_fields(text, [&](const auto& sentence) { refuse(sentence); });
  if (fields.size() != header_.size()) {
    refuse(fmt::format("{} fields where the header has {} columns", fields.size(), header_.size()));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) values_[header_[i]] = fields[i];
  return true;
}

bool CsvReader::has(std::string_view column) const { return std::ranges::find(header_, column) != header_.end(); }

std::int64_t CsvReader::number(std::string_view column, std::int64_t least, std::int64_t most) const {
  const std::string& digits = text(column);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    refuse(fmt::format("column {}: '{}' is no whole number: write a number such as 64", column, digits));
  }
  if (error == std::errc::result_out_of_range || value < least || value > most) {
    refuse(fmt::format("column {}: {} is out of range: it must be from {} to {}", column, digits, least, most));
  }
  return value;
}

void CsvReader::refuse(const std::string& sentence) const {
  throw std::invalid_argument(fmt::format("{}:{}: {}", file_, line_, sentence));
}

bool CsvReader::next_line(std::string& text) {
  while (std::getline(in_, text)) {
    ++line_;
    if (!is_utf8(text)) refuse(fmt::format("{} is not UTF-8: save the file in this encoding", in_quotes(text)));
    if (text.find_first_not_of(" \t\r") != std::string::npos) return true;
  }
  return false;
}

}  // namespace brickwork
