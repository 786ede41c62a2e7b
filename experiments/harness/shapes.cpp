#include "shapes.hpp"

#include <csv.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>

#include "build_info.hpp"
#include "names.hpp"
#include "utf8.hpp"

namespace brickwork {
namespace {

using Names = std::vector<std::string>;

bool holds(const Names& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool knows(const ShapeKind& kind, std::string_view column) {
  return holds(kind.required, column) || holds(kind.optional, column);
}

// The first column that keeps the header from being one of this kind, or nothing.
std::string missing_column(const ShapeKind& kind, const Names& header) {
  const auto missing = std::ranges::find_if(kind.required, [&](const auto& name) { return !holds(header, name); });
  return missing == kind.required.end() ? "" : *missing;
}

bool fits(const ShapeKind& kind, const Names& header) {
  return missing_column(kind, header).empty() &&
         std::ranges::all_of(header, [&](const auto& column) { return knows(kind, column); });
}

std::string needs(const ShapeKind& kind) {
  return fmt::format("a {} problem needs the columns {}{}{}", kind.name, fmt::join(kind.required, ","),
                     kind.optional.empty() ? "" : " and may have ", fmt::join(kind.optional, ","));
}

Names csv_fields(const std::string& text, const std::function<void(const std::string&)>& refuse) {
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  const std::unique_ptr<csv_parser, decltype(&csv_free)> free_parser(&parser, csv_free);
  Names fields;
  const auto add = [](void* field, std::size_t size, void* out) {
    static_cast<Names*>(out)->emplace_back(static_cast<const char*>(field), size);
  };
  if (csv_parse(&parser, text.data(), text.size(), add, nullptr, &fields) != text.size() ||
      csv_fini(&parser, add, nullptr, &fields) != 0) {
    refuse("the quotes do not match: write a quote inside a quoted field twice");
  }
  return fields;
}

}  // namespace

ShapeReader::ShapeReader(std::istream& in, std::string_view file, std::string_view wanted,
                         std::span<const ShapeKind> kinds)
    : in_(in), file_(file) {
  const ShapeKind& kind = *std::ranges::find(kinds, wanted, &ShapeKind::name);
  std::string text;
  if (!next_line(text)) throw std::invalid_argument(fmt::format("{}: the file is empty: {}", file_, needs(kind)));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // the byte order mark that spreadsheets write
  header_ = csv_fields(text, [&](const auto& sentence) { refuse(sentence); });
  check_header(kind, kinds);
}

void ShapeReader::check_header(const ShapeKind& wanted, std::span<const ShapeKind> kinds) const {
  for (const auto& name : header_) {
    if (std::ranges::count(header_, name) > 1) refuse(fmt::format("column {} is there twice: keep one", name));
  }
  if (fits(wanted, header_)) return;
  std::string remedy = needs(wanted);
  const auto other = std::ranges::find_if(kinds, [&](const ShapeKind& kind) { return fits(kind, header_); });
  if (other != kinds.end()) {
    remedy += fmt::format("; these are {} problems", other->name);
  } else {
    for (const ShapeKind& kind : kinds) {
      if (kind.name != wanted.name) remedy += "; " + needs(kind);
    }
  }
  if (const std::string missing = missing_column(wanted, header_); !missing.empty()) {
    refuse(fmt::format("column {} is missing: {}", missing, remedy));
  }
  const auto unknown = std::ranges::find_if(header_, [&](const auto& column) { return !knows(wanted, column); });
  refuse(fmt::format("unknown column '{}': {}", *unknown, remedy));
}

bool ShapeReader::next() {
  std::string text;
  if (!next_line(text)) {
    if (names_.empty()) refuse("there is no problem after the header: add a line");
    return false;
  }
  const Names fields = csv_fields(text, [&](const auto& sentence) { refuse(sentence); });
  if (fields.size() != header_.size()) {
    refuse(fmt::format("{} fields where the header has {} columns", fields.size(), header_.size()));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) values_[header_[i]] = fields[i];
  if (name().empty()) refuse("column name: it is empty: give every problem a name");
  if (const auto [first, is_new] = names_.emplace(name(), line_); !is_new) {
    refuse(fmt::format("column name: '{}' is already the name of line {}: give every problem its own", name(),
                       first->second));
  }
  return true;
}

bool ShapeReader::has(std::string_view column) const { return holds(header_, column); }

std::int64_t ShapeReader::number(std::string_view column, std::int64_t least, std::int64_t most) const {
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

int ShapeReader::count() const { return static_cast<int>(number("count", 1, std::numeric_limits<int>::max())); }

void ShapeReader::refuse(const std::string& sentence) const {
  throw std::invalid_argument(fmt::format("{}:{}: {}", file_, line_, sentence));
}

bool ShapeReader::next_line(std::string& text) {
  while (std::getline(in_, text)) {
    ++line_;
    if (!is_utf8(text)) refuse(fmt::format("{} is not UTF-8: save the file in this encoding", in_quotes(text)));
    if (text.find_first_not_of(" \t\r") != std::string::npos) return true;
  }
  return false;
}

std::filesystem::path shapes_folder() {
  // The source tree's, or once installed the one beside the program.
  const std::filesystem::path source = std::filesystem::path(build_info::source_folder) / "experiments" / "shapes";
  if (std::filesystem::is_directory(source)) return source;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "share" / "brickwork" / "shapes";
}

std::vector<ShapeSet> shape_sets(std::span<const ShapeKind> kinds) {
  std::vector<ShapeSet> sets;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(shapes_folder(), missing)) {
    if (entry.path().extension() != ".csv") continue;
    ShapeSet set{.name = entry.path().stem().string(), .kind = {}, .layers = {}};
    for (const ShapeKind& kind : kinds) {
      if (!set.kind.empty()) break;
      std::ifstream in(entry.path());
      try {
        ShapeReader reader(in, set.name, kind.name, kinds);
        set.kind = kind.name;
        while (reader.next()) set.layers.push_back(reader.name());
      } catch (const std::invalid_argument&) {  // of another kind, or spoilt: it is still listed
      }
    }
    sets.push_back(std::move(set));
  }
  std::ranges::sort(sets, {}, &ShapeSet::name);
  return sets;
}

std::filesystem::path find_shapes(const std::string& file_or_name) {
  if (std::filesystem::is_regular_file(file_or_name)) return file_or_name;
  if (file_or_name.find('/') != std::string::npos || file_or_name.ends_with(".csv")) {
    throw std::invalid_argument(fmt::format("there is no shape file '{}'", file_or_name));
  }
  Names known;
  for (const ShapeSet& set : shape_sets({})) known.push_back(set.name);
  require_known("shape set", file_or_name, known);
  return shapes_folder() / (file_or_name + ".csv");
}

}  // namespace brickwork
