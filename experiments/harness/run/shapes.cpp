#include "experiments/harness/run/shapes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "build_info.hpp"
#include "experiments/harness/terminal/names.hpp"

namespace brickwork {
namespace {

using Names = std::vector<std::string>;

bool holds(const Names& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool knows(const ShapeKind& kind, std::string_view column) {
  return holds(kind.required, column) || holds(kind.optional, column);
}

// The first required column that the header lacks; empty if it lacks none.
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

const ShapeKind& kind_named(std::string_view name, std::span<const ShapeKind> kinds) {
  return *std::ranges::find(kinds, name, &ShapeKind::name);
}

}  // namespace

ShapeReader::ShapeReader(std::istream& in, std::string_view file, std::string_view wanted,
                         std::span<const ShapeKind> kinds)
    : CsvReader(in, file, needs(kind_named(wanted, kinds))) {
  check_header(kind_named(wanted, kinds), kinds);
}

void ShapeReader::check_header(const ShapeKind& wanted, std::span<const ShapeKind> kinds) const {
  if (fits(wanted, header())) return;
  std::string remedy = needs(wanted);
  const auto other = std::ranges::find_if(kinds, [&](const ShapeKind& kind) { return fits(kind, header()); });
  if (other != kinds.end()) {
    remedy += fmt::format("; these are {} problems", other->name);
  } else {
    for (const ShapeKind& kind : kinds) {
      if (kind.name != wanted.name) remedy += "; " + needs(kind);
    }
  }
  if (const std::string missing = missing_column(wanted, header()); !missing.empty()) {
    refuse(fmt::format("column {} is missing: {}", missing, remedy));
  }
  const auto unknown = std::ranges::find_if(header(), [&](const auto& column) { return !knows(wanted, column); });
  refuse(fmt::format("unknown column '{}': {}", *unknown, remedy));
}

bool ShapeReader::next() {
  if (!CsvReader::next()) {
    if (names_.empty()) refuse("there is no problem after the header: add a line");
    return false;
  }
  if (name().empty()) refuse("column name: it is empty: give every problem a name");
  if (const auto [first, is_new] = names_.emplace(name(), line()); !is_new) {
    refuse(fmt::format("column name: '{}' is already the name of line {}: give every problem its own", name(),
                       first->second));
  }
  return true;
}

int ShapeReader::count() const { return static_cast<int>(number("count", 1, std::numeric_limits<int>::max())); }

std::filesystem::path shapes_folder(const std::filesystem::path& program, const std::filesystem::path& sources) {
  const std::filesystem::path below = std::filesystem::path("experiments") / "shapes";
  const auto installed = program.parent_path().parent_path() / "share" / "brickwork" / below;
  const auto source = sources / below;
  if (std::filesystem::is_directory(installed)) return installed;
  if (std::filesystem::is_directory(source)) return source;
  throw std::runtime_error(
      fmt::format("the shape sets are missing: neither {} of an installed tree nor {} of the sources is there: "
                  "install again, or give --shapes a file",
                  installed.string(), source.string()));
}

std::filesystem::path shapes_folder() {
  return shapes_folder(std::filesystem::read_symlink("/proc/self/exe"), build_info::source_folder);
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
      } catch (const std::invalid_argument&) {  // of another kind, or broken: the set is still listed
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
