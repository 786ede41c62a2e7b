#include "experiments/learning/listops_data.hpp"

namespace brickwork {
namespace {

constexpr std::uint32_t kListOpsTestSeed = 0;  // for the test expressions alone

ListOpsExpression draw_short(int deepest, Random& random) {
  for (;;) {
    const int depth = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(deepest)));
    auto drawn = draw_listops(depth, random);
    if (drawn.size() <= kMostListOpsTokens) return drawn;
  }
}

// Children of the node of each token.
using Children = std::vector<std::vector<std::int32_t>>;

Children tree_of(const ListOpsExpression& expression) {
  Children children(expression.size());
  std::vector<std::size_t> open;  // operations whose arguments are not complete
  for (std::size_t node = 0; node < expression.size(); ++node) {
    const std::int32_t token = expression[node];
    if (token >= kMaximum && token != kClosing) {
      open.push_back(node);
      continue;
    }
    if (token == kClosing) {
      children[node].push_back(static_cast<std::int32_t>(open.back()));
      open.pop_back();
    }
    if (!open.empty()) children[open.back()].push_back(static_cast<std::int32_t>(node));
  }
  return children;
}

Children sequence_of(const ListOpsExpression& expression) {
  Children children(expression.size());
  for (std::size_t node = 1; node < children.size(); ++node) {
    children[node].push_back(static_cast<std::int32_t>(node - 1));
  }
  return children;
}

}  // namespace

ListOpsData::ListOpsData(std::size_t tests) {
  Random random(kListOpsTestSeed);
  while (test_.size() < tests) {
    auto drawn = draw_short(kListOpsDepth, random);
    if (known_.insert(drawn).second) test_.push_back(std::move(drawn));
  }
}

ListOpsExpression ListOpsData::draw(int deepest, Random& random) const {
  for (;;) {
    auto drawn = draw_short(deepest, random);
    if (!known_.contains(drawn)) return drawn;
  }
}

TokenForest listops_minibatch(std::span<const ListOpsExpression> expressions, ListOpsStructure structure) {
  const bool tree = structure == ListOpsStructure::tree;
  TokenForest made;
  made.forest.kind = tree ? StructureKind::tree : StructureKind::sequence;
  for (const ListOpsExpression& expression : expressions) {
    made.forest.add(tree ? tree_of(expression) : sequence_of(expression));
    made.tokens.insert(made.tokens.end(), expression.begin(), expression.end());
    made.roots.push_back(made.forest.nodes() - 1);  // the last token, in a tree too
  }
  return made;
}

std::vector<std::int32_t> listops_values(std::span<const ListOpsExpression> expressions) {
  std::vector<std::int32_t> values;
  for (const ListOpsExpression& expression : expressions) values.push_back(listops_value(expression));
  return values;
}

}  // namespace brickwork
