// Minibatches of ListOps expressions: test expressions that are the same in every run, expressions to train on, and the
// structures that a recursive model goes along.
#pragma once
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "experiments/learning/listops.hpp"
#include "experiments/learning/recursive_network.hpp"

namespace brickwork {

inline constexpr int kListOpsDepth = 5;                 // of the deepest expressions
inline constexpr std::size_t kMostListOpsTokens = 100;  // longer expressions are drawn anew

// An expression's depth is uniform from 1 to the deepest.
class ListOpsData {
 public:
  explicit ListOpsData(std::size_t tests);  // how many expressions there are to test on, all different

  const std::vector<ListOpsExpression>& test() const { return test_; }
  // Never one of the test.
  ListOpsExpression draw(int deepest, Random&) const;

 private:
  std::vector<ListOpsExpression> test_;
  std::set<ListOpsExpression> known_;
};

// A tree has a node for each token. An operation's children are its arguments. A closing bracket has its operation as
// its child, and stands for it as an argument of the operation around it, or as the root: the operation's node has a
// state in which its arguments are combined, and the bracket's makes it the state of a digit.
// A sequence has the tokens in the order of the text, and its root is the last one.
enum class ListOpsStructure { tree, sequence };

TokenForest listops_minibatch(std::span<const ListOpsExpression>, ListOpsStructure);

std::vector<std::int32_t> listops_values(std::span<const ListOpsExpression>);

}  // namespace brickwork
