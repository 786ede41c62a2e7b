#include "primitives/recursive/op/recursive_problem.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "primitives/recursive/structures/structure_files.hpp"
#include "primitives/recursive/structures/structures.hpp"

namespace brickwork {
namespace {

using size_table::refuse;

constexpr std::string_view kStructures[] = {"treebank", "perfect", "grids", "sequences", "file"};
constexpr std::int64_t kUsualSize[] = {0, 7, 10, 100, 0};  // 0: the structures have no size

std::string_view name_of_structures(RecursiveStructures structures) {
  return kStructures[static_cast<std::size_t>(structures)];
}

std::int64_t usual_size(RecursiveStructures structures) { return kUsualSize[static_cast<std::size_t>(structures)]; }

Forest first_of_file(const std::string& path, std::int64_t N) {
  if (path.empty()) {
    refuse("the structures are those of a file, but no file is given: set one, or take other structures");
  }
  Forest all = read_trees(path);
  if (N > all.structures()) refuse("{} has {} trees, fewer than N: N is {}", path, all.structures(), N);
  all.first_node.resize(static_cast<std::size_t>(N) + 1);
  all.first_child.resize(static_cast<std::size_t>(all.nodes()) + 1);
  all.children.resize(static_cast<std::size_t>(all.first_child.back()));
  return all;
}

struct ForestKey {
  RecursiveStructures structures;
  StructureKind kind;
  std::int64_t N, S;
  std::string file;
  friend bool operator==(const ForestKey&, const ForestKey&) = default;
};

Forest made_forest(const ForestKey& key) {
  switch (key.structures) {
    case RecursiveStructures::treebank:
      return treebank_trees(key.N);
    case RecursiveStructures::perfect:
      return perfect_trees(key.N, key.S);
    case RecursiveStructures::grids:
      return grids(key.N, key.S);
    case RecursiveStructures::sequences:
      return sequences(key.N, key.S);
    case RecursiveStructures::file:
      break;
  }
  return first_of_file(key.file, key.N);
}

// The forests that were made last: a problem is asked for its forest many times.
class MadeForests {
 public:
  void set_file(std::string path) {
    const std::lock_guard lock(mutex_);
    file_ = std::move(path);
  }

  std::shared_ptr<const Forest> get(ForestKey key) {
    const std::lock_guard lock(mutex_);
    if (key.structures == RecursiveStructures::file) key.file = file_;
    const auto found = std::ranges::find(made_, key, &Made::key);
    if (found != made_.end()) return found->forest;
    auto forest = std::make_shared<Forest>(made_forest(key));
    forest->kind = key.kind;
    if (made_.size() == kMost) made_.erase(made_.begin());
    made_.push_back({std::move(key), std::move(forest)});
    return made_.back().forest;
  }

 private:
  static constexpr std::size_t kMost = 32;

  struct Made {
    ForestKey key;
    std::shared_ptr<const Forest> forest;
  };
  std::mutex mutex_;
  std::string file_;
  std::vector<Made> made_;
};

MadeForests& made_forests() {
  static MadeForests made;
  return made;
}

// Whether each structure is of the kind. Trees of a file may be sequences: their nodes' children are counted.
bool are_of(RecursiveStructures structures, StructureKind kind) {
  if (kind == StructureKind::dag) return true;
  if (kind == StructureKind::tree) return structures != RecursiveStructures::grids;
  return structures == RecursiveStructures::sequences || structures == RecursiveStructures::file;
}

void check_children(const Cell& cell, const Forest& forest) {
  for (std::int32_t s = 0; cell.most_children() > 0 && s < forest.structures(); ++s) {
    const auto structure = static_cast<std::size_t>(s);
    for (std::int32_t node = forest.first_node[structure]; node < forest.first_node[structure + 1]; ++node) {
      const std::size_t children = forest.children_of(node).size();
      if (children <= static_cast<std::size_t>(cell.most_children())) continue;
      refuse("a node of structure {} has {} children: {} takes nodes with at most {}", s, children, cell.name(),
             cell.most_children());
    }
  }
}

void check_tensors(const Cell& cell, std::int64_t H, const Forest& forest) {
  const auto check = [&](const std::string& name, bool matrix) {
    if (matrix) {
      check_elements(name, {forest.nodes(), H, H});
    } else {
      check_elements(name, {forest.nodes(), H});
    }
  };
  for (const Cell::Input& input : cell.inputs()) check(input.name, input.matrix);
  for (const Cell::StateOf& state : cell.states()) check(state.name, state.matrix);
}

}  // namespace

const SizeTable<RecursiveProblem>& RecursiveProblem::table() {
  using P = RecursiveProblem;
  static const auto models = [] {
    std::vector<std::string_view> names;
    for (const ModelOf& one : recursive_models()) names.push_back(one.name);
    return names;
  }();
  static const std::string a_model = fmt::format("a model: {}", fmt::join(models, ", "));
  static const std::string some_structures = fmt::format("structures: {}", fmt::join(kStructures, ", "));
  static const SizeTable<RecursiveProblem> table{
      .kind = "recursive",
      .sizes = {{.key = "H", .column = "H", .member = &P::H},
                {.key = "N", .column = "N", .member = &P::N, .setting = true},
                {.key = "S", .column = "S", .member = &P::S, .least = 0}},
      .words = {choice(a_model, models, &P::model, "model"),
                choice(some_structures, {std::begin(kStructures), std::end(kStructures)}, &P::structures,
                       "structures")},
      .default_words = true};
  return table;
}

std::shared_ptr<const Forest> RecursiveProblem::forest() const {
  return made_forests().get(
      {.structures = structures, .kind = cell().kind(), .N = N, .S = S == 0 ? usual_size(structures) : S, .file = ""});
}

void RecursiveProblem::validate() const {
  check_sizes(*this, std::int64_t{1} << 20, "2^20");
  if (S != 0 && usual_size(structures) == 0) {
    refuse("S is {}, but {} structures have no size: leave S out", S, name_of_structures(structures));
  }
  if (!are_of(structures, cell().kind())) {
    refuse("{} takes {}, and {} are none", cell().name(),
           cell().kind() == StructureKind::sequence ? "sequences" : "trees and sequences",
           structures == RecursiveStructures::grids ? "grids" : "trees");
  }
  const auto all = forest();
  check_children(cell(), *all);
  check_tensors(cell(), H, *all);
}

void set_structure_file(std::string path) { made_forests().set_file(std::move(path)); }

}  // namespace brickwork
