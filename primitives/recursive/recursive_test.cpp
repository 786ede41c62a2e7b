// Recursive models on the host against their definitions.
#include <gtest/gtest.h>

#include <random>

#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/testing/random_forest.hpp"
#include "primitives/recursive/testing/recursive_check.hpp"
#include "primitives/recursive/structures/structures.hpp"
#include "primitives/testing/usable.hpp"

namespace brickwork {
namespace {

Forest usual_forest(const Cell& cell) {
  if (cell.kind() == StructureKind::sequence) return sequences(3, 5);
  if (cell.kind() == StructureKind::dag) return grids(2, 4);
  return treebank_trees(3);
}

TEST(Recursive, AgreesWithItsDefinitionForEveryModel) {
  for (const ModelOf& model : recursive_models()) {
    const Cell& cell = cell_of(model.model);
    for (const std::int64_t H : {16, 5, 33, 64}) {
      for (const RecursiveUse use : {RecursiveUse::inference, RecursiveUse::training}) {
        const RecursivePlan plan = plan_recursive(H, {.threads = 2});
        EXPECT_EQ(recursive_mistake({&cell, H, usual_forest(cell), use}, plan), "")
            << model.name << " H" << H << (use == RecursiveUse::training ? " training" : "");
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
