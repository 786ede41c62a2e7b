#include "primitives/recursive/structures/structure_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "primitives/op/size_table.hpp"
#include "primitives/recursive/structures/tree_lines.hpp"

namespace brickwork {
namespace {

bool in_brackets(std::string_view line) { return line[line.find_first_not_of(kBlanks)] == '('; }

const char* form_of(std::string_view line) { return in_brackets(line) ? "brackets" : "parent pointers"; }

// Node numbers have 31 bits, and every node takes more than one character.
constexpr std::size_t kMostCharacters = std::numeric_limits<std::int32_t>::max();

TreeNodes tree_of_line(std::string_view line) {
  if (line.size() > kMostCharacters) size_table::refuse("the line has more than 2^31 - 1 characters");
  return in_brackets(line) ? tree_of_brackets(line) : tree_of_parents(line);
}

}  // namespace

Forest parse_trees(const std::string& text, const std::string& name) {
  Forest forest{.kind = StructureKind::tree};
  std::string_view first, rest = text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.find_first_not_of(kBlanks) == line.npos) continue;
    if (first.empty()) first = line;
    try {
      if (in_brackets(line) != in_brackets(first)) {
        size_table::refuse("the tree is written as {}, but the first tree as {}", form_of(line), form_of(first));
      }
      forest.add(tree_of_line(line));
    } catch (const std::invalid_argument& e) {
      size_table::refuse("{}, line {}: {}", name, number, e.what());
    }
  }
  if (first.empty()) throw std::runtime_error(fmt::format("{} has no tree", name));
  return forest;
}

Forest read_trees(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (std::filesystem::is_directory(path)) throw std::runtime_error(fmt::format("{} is a directory", path));
  if (!in) throw std::runtime_error(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  return parse_trees(std::string(std::istreambuf_iterator<char>(in), {}), path);
}

}  // namespace brickwork
