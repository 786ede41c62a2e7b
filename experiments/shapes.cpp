#include "shapes.hpp"

#include <csv.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "build_info.hpp"
#include "names.hpp"

namespace brickwork {
namespace {

using Names = std::vector<std::string>;

template <class... Args>
[[noreturn]] void refuse(std::string_view file, int line, fmt::format_string<Args...> format, Args&&... args) {
  throw std::invalid_argument(fmt::format("{}:{}: {}", file, line, fmt::format(format, std::forward<Args>(args)...)));
}

Names csv_fields(const std::string& text, std::string_view file, int line) {
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  const std::unique_ptr<csv_parser, decltype(&csv_free)> free_parser(&parser, csv_free);
  Names fields;
  const auto add = [](void* field, std::size_t size, void* out) {
    static_cast<Names*>(out)->emplace_back(static_cast<const char*>(field), size);
  };
  if (csv_parse(&parser, text.data(), text.size(), add, nullptr, &fields) != text.size() ||
      csv_fini(&parser, add, nullptr, &fields) != 0) {
    refuse(file, line, "the quotes do not match: write a quote inside a quoted field twice");
  }
  return fields;
}

// The lines of one file, each as its fields by column name.
class ShapeReader {
 public:
  ShapeReader(std::istream& in, std::string_view file, Names columns)
      : in_(in), file_(file), columns_(std::move(columns)) {
    std::string text;
    if (!next_text(text)) {
      throw std::invalid_argument(
          fmt::format("{}: the file is empty: its first line must be {}", file_, fmt::join(columns_, ",")));
    }
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // the byte order mark that spreadsheets write
    header_ = csv_fields(text, file_, line_);
    for (const auto& name : header_) {
      if (std::ranges::find(columns_, name) == columns_.end()) {
        refuse(file_, line_, "unknown column '{}': the columns are {}", name, fmt::join(columns_, ","));
      }
      if (std::ranges::count(header_, name) > 1) refuse(file_, line_, "column {} is there twice: keep one", name);
    }
    for (const auto& name : columns_) {
      if (std::ranges::find(header_, name) == header_.end()) {
        refuse(file_, line_, "column {} is missing: the columns are {}", name, fmt::join(columns_, ","));
      }
    }
  }

  // Moves to the next line; false at the end of the file.
  bool next() {
    std::string text;
    if (!next_text(text)) {
      if (names_.empty()) refuse(file_, line_, "there is no problem after the header: add a line");
      return false;
    }
    const Names fields = csv_fields(text, file_, line_);
    if (fields.size() != header_.size()) {
      refuse(file_, line_, "{} fields where the header has {} columns", fields.size(), header_.size());
    }
    for (std::size_t i = 0; i < fields.size(); ++i) values_[header_[i]] = fields[i];
    const std::string& problem_name = values_["name"];
    if (problem_name.empty()) refuse(file_, line_, "column name: it is empty: give every problem a name");
    if (const auto [first, is_new] = names_.emplace(problem_name, line_); !is_new) {
      refuse(file_, line_, "column name: '{}' is already the name of line {}: give every problem its own", problem_name,
             first->second);
    }
    return true;
  }

  const std::string& name() const { return values_.at("name"); }

  std::int64_t number(const std::string& column, std::int64_t least, std::int64_t most = std::int64_t{1} << 40) const {
    const std::string& text = values_.at(column);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
      refuse(file_, line_, "column {}: '{}' is no whole number: write a number such as 64", column, text);
    }
    if (error == std::errc::result_out_of_range || value < least || value > most) {
      refuse(file_, line_, "column {}: {} is out of range: it must be from {} to {}", column, text, least, most);
    }
    return value;
  }

  int count() const { return static_cast<int>(number("count", 1, std::numeric_limits<int>::max())); }

  // What a problem finds wrong with itself, told with the place.
  template <class Problem>
  const Problem& validated(const Problem& problem) const {
    try {
      problem.validate();
    } catch (const std::invalid_argument& e) {
      refuse(file_, line_, "{}", e.what());
    }
    return problem;
  }

 private:
  bool next_text(std::string& text) {
    while (std::getline(in_, text)) {
      ++line_;
      if (text.find_first_not_of(" \t\r") != std::string::npos) return true;
    }
    return false;
  }

  std::istream& in_;
  std::string file_;
  Names columns_, header_;
  std::map<std::string, std::string> values_;
  std::map<std::string, int> names_;  // -> the line that has it
  int line_ = 0;
};

}  // namespace

std::vector<ConvProblem> read_conv_shapes(std::istream& in, std::string_view file, std::int64_t minibatch,
                                          const ConvEpilogue& epilogue) {
  ShapeReader reader(in, file,
                     {"name", "C", "K", "H", "W", "R", "S", "stride_h", "stride_w", "pad_h", "pad_w", "count"});
  std::vector<ConvProblem> problems;
  while (reader.next()) {
    problems.push_back(reader.validated(ConvProblem{.name = reader.name(),
                                                    .N = minibatch,
                                                    .C = reader.number("C", 1),
                                                    .K = reader.number("K", 1),
                                                    .H = reader.number("H", 1),
                                                    .W = reader.number("W", 1),
                                                    .R = reader.number("R", 1),
                                                    .S = reader.number("S", 1),
                                                    .stride_h = reader.number("stride_h", 1),
                                                    .stride_w = reader.number("stride_w", 1),
                                                    .pad_h = reader.number("pad_h", 0),
                                                    .pad_w = reader.number("pad_w", 0),
                                                    .epilogue = epilogue,
                                                    .count = reader.count()}));
  }
  return problems;
}

std::vector<BrgemmProblem> read_brgemm_shapes(std::istream& in, std::string_view file) {
  ShapeReader reader(in, file, {"name", "m", "n", "k", "batch", "count"});
  std::vector<BrgemmProblem> problems;
  while (reader.next()) {
    problems.push_back(reader.validated(BrgemmProblem{.name = reader.name(),
                                                      .m = reader.number("m", 1),
                                                      .n = reader.number("n", 1),
                                                      .k = reader.number("k", 1),
                                                      .batch = reader.number("batch", 1),
                                                      .count = reader.count()}));
  }
  return problems;
}

std::filesystem::path shapes_folder() {
  // The source tree's, or once installed the one beside the program.
  const std::filesystem::path source = std::filesystem::path(build_info::source_folder) / "experiments" / "shapes";
  if (std::filesystem::is_directory(source)) return source;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "share" / "brickwork" / "shapes";
}

Names shape_set_names() {
  Names names;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(shapes_folder(), missing)) {
    if (entry.path().extension() == ".csv") names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

std::filesystem::path find_shapes(const std::string& file_or_name) {
  if (std::filesystem::is_regular_file(file_or_name)) return file_or_name;
  if (file_or_name.find('/') != std::string::npos || file_or_name.ends_with(".csv")) {
    throw std::invalid_argument(fmt::format("there is no shape file '{}'", file_or_name));
  }
  require_known("shape set", file_or_name, shape_set_names());
  return shapes_folder() / (file_or_name + ".csv");
}

}  // namespace brickwork
