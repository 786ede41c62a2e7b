#include "baselines/elsewhere/dynet_elsewhere.hpp"

#include <gtest/gtest.h>

#include "primitives/recursive/op/recursive_ops.hpp"

namespace brickwork {
namespace {

TEST(DynetElsewhere, IsAbsentWithoutItsProgram) {
  const auto contender = dynet_elsewhere<RecursiveInferenceOp>();
  EXPECT_EQ(contender.name, "dynet");
  EXPECT_EQ(contender.library.name, "DyNet");
  EXPECT_FALSE(contender.ours);
  const auto prepared = prepare(contender, {}, {}, {});
  EXPECT_EQ(prepared.status(), Status::absent);
  EXPECT_EQ(prepared.reason(),
            "built without DyNet: run scripts/setup --with-dynet (25 MB), configure and build again");
}

}  // namespace
}  // namespace brickwork
