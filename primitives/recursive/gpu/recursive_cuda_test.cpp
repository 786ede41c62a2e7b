// Tests of recursive models on a GPU; without one they skip and say why.
#include <gtest/gtest.h>

#include "primitives/recursive/gpu/recursive_on_cuda.hpp"
#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/structures/structures.hpp"
#include "primitives/recursive/testing/recursive_check.hpp"
#include "primitives/testing/cuda_settings.hpp"

namespace brickwork {
namespace {

using RecursiveOnCudaSettings = OnCudaSettings;

Forest usual_forest(const Cell& cell) {
  if (cell.kind() == StructureKind::sequence) return sequences(3, 12);
  Forest forest = cell.kind() == StructureKind::dag ? grids(2, 6) : treebank_trees(5);
  forest.kind = cell.kind();
  return forest;
}

TEST_P(RecursiveOnCudaSettings, IsRightForEveryModel) {
  for (const ModelOf& model : recursive_models()) {
    const Cell& cell = cell_of(model.model);
    for (const std::int64_t H : {20, 64, 256}) {
      for (const std::int64_t persist : {1, 0}) {
        RecursivePlan plan = plan_recursive_on_gpu(H);
        plan.persist = persist;
        const RecursiveOnCuda target(GetParam(), /*multiprocessors=*/16);
        EXPECT_EQ(recursive_mistake({&cell, H, usual_forest(cell), RecursiveUse::inference}, plan, target), "")
            << model.name << " H" << H << " " << to_string(plan);
      }
    }
  }
}

std::vector<CudaSetting> launcher_settings() {
  auto settings = strict_cuda_settings();
  std::erase_if(settings, [](const CudaSetting& setting) { return setting.path != CudaPath::launcher; });
  return settings;
}

INSTANTIATE_TEST_SUITE_P(Setting, RecursiveOnCudaSettings, testing::ValuesIn(launcher_settings()),
                         name_of_cuda_setting);

TEST(RecursiveOnCuda, OtherSettingsAreRefused) {
  EXPECT_EQ(RecursiveOnCuda({.brick = CudaBrick::tensor_cores}, 132).passes({}).status(), Status::unsupported);
  EXPECT_EQ(RecursiveOnCuda({.path = CudaPath::kokkos}, 132).passes({}).status(), Status::unsupported);
}

}  // namespace
}  // namespace brickwork
