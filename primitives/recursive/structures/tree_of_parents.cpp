#include <algorithm>
#include <charconv>

#include "primitives/op/size_table.hpp"
#include "primitives/recursive/structures/tree_lines.hpp"

namespace brickwork {
namespace {

using Parents = std::vector<std::int64_t>;

constexpr std::int64_t kNoParent = -1;

std::int64_t parent_of(std::size_t node, std::string_view word, std::int64_t nodes) {
  std::int64_t parent = 0;
  const char* const end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, parent);
  if (error != std::errc() || stopped != end || parent < kNoParent || parent >= nodes) {
    size_table::refuse("the parent of node {} is '{}': it must be from 0 to {}, or -1 for the root", node, word,
                       nodes - 1);
  }
  return parent;
}

std::size_t root_of(const Parents& parents) {
  const auto root = std::ranges::find(parents, kNoParent);
  if (root == parents.end()) size_table::refuse("no node has the parent -1, but a tree has a root");
  const auto second = std::find(root + 1, parents.end(), kNoParent);
  if (second != parents.end()) {
    size_table::refuse("nodes {} and {} have the parent -1, but a tree has one root", root - parents.begin(),
                       second - parents.begin());
  }
  return static_cast<std::size_t>(root - parents.begin());
}

std::vector<bool> below(std::size_t root, const TreeNodes& children) {
  std::vector<bool> found(children.size());
  std::vector<std::size_t> waiting = {root};
  while (!waiting.empty()) {
    const std::size_t node = waiting.back();
    waiting.pop_back();
    found[node] = true;
    waiting.insert(waiting.end(), children[node].begin(), children[node].end());
  }
  return found;
}

// From a node that is not below the root, the way from parent to parent ends on a cycle.
void refuse_cycle_of_parents(const Parents& parents, const std::vector<bool>& below_root) {
  const auto lost = std::ranges::find(below_root, false);
  if (lost == below_root.end()) return;
  auto node = static_cast<std::size_t>(lost - below_root.begin());
  for (std::size_t step = 0; step < parents.size(); ++step) node = static_cast<std::size_t>(parents[node]);
  size_table::refuse("node {} is on a cycle, but no node may be below itself", node);
}

}  // namespace

TreeNodes tree_of_parents(std::string_view line) {
  const auto words = size_table::split(line, kBlanks);
  Parents parents(words.size());
  for (std::size_t node = 0; node < words.size(); ++node) {
    parents[node] = parent_of(node, words[node], std::ssize(words));
  }
  const std::size_t root = root_of(parents);
  TreeNodes children(parents.size());
  for (std::size_t node = 0; node < parents.size(); ++node) {
    if (node != root) children[static_cast<std::size_t>(parents[node])].push_back(static_cast<std::int32_t>(node));
  }
  refuse_cycle_of_parents(parents, below(root, children));
  return children;
}

}  // namespace brickwork
