// Shape files: each line of the CSV is one problem. The header names columns of the problem's table of sizes, in any
// order; a column that is left out has its default. Text is UTF-8.
#pragma once
#include <filesystem>
#include <istream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/harness/rows/csv_reader.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// The columns of the shape files of one kind of problem.
struct ShapeKind {
  std::string name;                   // "conv"
  std::vector<std::string> required;  // columns
  std::vector<std::string> optional;
};

template <HasSizes Problem>
ShapeKind shape_kind() {
  const auto& table = Problem::table();
  ShapeKind kind{.name = std::string(table.kind), .required = {"name"}, .optional = {}};
  for (const auto& size : table.sizes) {
    auto& columns = size_table::must_be_given(size) ? kind.required : kind.optional;
    columns.emplace_back(size.column);
  }
  for (const auto& word : table.words) kind.optional.emplace_back(word.column);
  kind.required.emplace_back("count");
  return kind;
}

// Reads the lines of one file. Throws as CsvReader does.
class ShapeReader : public CsvReader {
 public:
  // `wanted` is the name of one of the kinds; the message about a file of another kind uses the others.
  ShapeReader(std::istream&, std::string_view file, std::string_view wanted, std::span<const ShapeKind> kinds);

  bool next();
  const std::string& name() const { return text("name"); }
  int count() const;

 private:
  void check_header(const ShapeKind& wanted, std::span<const ShapeKind> kinds) const;

  std::map<std::string, int> names_;  // name -> line number
};

template <HasSizes Problem>
std::vector<Problem> read_shapes(std::istream& in, std::string_view file, const Problem& defaults,
                                 std::span<const ShapeKind> kinds) {
  const auto& table = Problem::table();
  ShapeReader reader(in, file, table.kind, kinds);
  std::vector<Problem> problems;
  while (reader.next()) {
    Problem problem = defaults;
    problem.name = reader.name();
    problem.count = reader.count();
    for (const auto& size : table.sizes) {
      if (reader.has(size.column)) {
        problem.*size.member = reader.number(size.column, size.least);
      } else if (size.like != nullptr) {
        problem.*size.member = problem.*size.like;
      }
    }
    try {
      for (const auto& word : table.words) {
        if (reader.has(word.column)) set_word(problem, word.column, reader.text(word.column));
      }
      problem.validate();
    } catch (const std::invalid_argument& e) {
      reader.refuse(e.what());
    }
    problems.push_back(std::move(problem));
  }
  return problems;
}

// The folder of the shape sets that come with the project: that of an installed tree, found by the program's place, or
// else that of the sources. Throws std::runtime_error if neither is there.
std::filesystem::path shapes_folder(const std::filesystem::path& program, const std::filesystem::path& sources);
std::filesystem::path shapes_folder();  // of this program

struct ShapeSet {
  std::string name, kind;  // kind: of its problems; empty if the header fits no kind
  std::vector<std::string> layers;
};
std::vector<ShapeSet> shape_sets(std::span<const ShapeKind>);

// Takes a path or the name of a shape set. Throws std::invalid_argument if there is no such file.
std::filesystem::path find_shapes(const std::string& file_or_name);

}  // namespace brickwork
