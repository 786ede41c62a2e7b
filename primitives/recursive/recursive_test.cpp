// Recursive models on the host against their definitions.
#include <gtest/gtest.h>

#include <random>

#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/structures/structures.hpp"
#include "primitives/recursive/structures/testing/random_forest.hpp"
#include "primitives/recursive/testing/recursive_check.hpp"
#include "primitives/testing/usable.hpp"

namespace brickwork {
namespace {

RecursivePlan usual_plan(std::int64_t H) { return plan_recursive(H, {.threads = 2}); }

// All passes on, then each off or on against the rule.
std::vector<RecursivePlan> plans(std::int64_t H) {
  std::vector<RecursivePlan> all{usual_plan(H)};
  for (const auto& size : RecursivePlan::table().sizes) {
    if (size.least > 0) continue;
    RecursivePlan other = usual_plan(H);
    other.*size.member = 1 - other.*size.member;
    all.push_back(other);
  }
  return all;
}

Forest random_forest_of(const Cell& cell, std::mt19937& random) {
  const std::int32_t most = cell.most_children() == 0 ? 5 : cell.most_children();
  return random_forest({.kind = cell.kind(),
                        .structures = 1 + random_below(4, random),
                        .most_nodes = 1 + random_below(24, random),
                        .most_children = most},
                       random);
}

TEST(Recursive, AgreesWithItsDefinitionForEveryModelAndPass) {
  std::mt19937 random(1);
  for (const ModelOf& model : recursive_models()) {
    const Cell& cell = cell_of(model.model);
    for (const std::int64_t H : {1, 5, 16, 33}) {
      for (const RecursivePlan& plan : plans(H)) {
        EXPECT_EQ(recursive_mistake({&cell, H, random_forest_of(cell, random)}, plan), "")
            << model.name << " H" << H << " " << to_string(plan);
      }
    }
  }
}

TEST(Recursive, AgreesWithItsDefinitionInInference) {
  std::mt19937 random(2);
  for (const ModelOf& model : recursive_models()) {
    const Cell& cell = cell_of(model.model);
    for (const RecursivePlan& plan : plans(20)) {
      EXPECT_EQ(recursive_mistake({&cell, 20, random_forest_of(cell, random), RecursiveUse::inference}, plan), "")
          << model.name << " " << to_string(plan);
    }
  }
}

TEST(Recursive, TakesLevelsWiderThanACall) {
  const Cell& cell = cell_of(RecursiveModel::tree_lstm);
  RecursivePlan plan = usual_plan(48);
  plan.rows = 3;
  EXPECT_EQ(recursive_mistake({&cell, 48, perfect_trees(2, 5)}, plan), "");
}

TEST(Recursive, TakesANodeWithMoreChildrenThanRowsOfACall) {
  const Cell& cell = cell_of(RecursiveModel::tree_lstm);
  Forest star;
  std::vector<std::vector<std::int32_t>> children(100);
  for (std::int32_t child = 1; child < 100; ++child) children[0].push_back(child);
  star.add(children);
  RecursivePlan plan = usual_plan(24);
  plan.rows = 7;
  EXPECT_EQ(recursive_mistake({&cell, 24, star}, plan), "");
}

}  // namespace
}  // namespace brickwork
