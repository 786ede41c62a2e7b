#include "baselines/elsewhere/tvm_elsewhere.hpp"

#include <gtest/gtest.h>

#include "primitives/conv/op/conv_forward_op.hpp"

namespace brickwork {
namespace {

TEST(TvmElsewhere, IsAbsentWithoutItsProgramAndRunsOnlyIfNamed) {
  const auto contender = tvm_elsewhere<ConvForwardOp>();
  EXPECT_EQ(contender.name, "tvm-metaschedule");
  EXPECT_EQ(contender.library.name, "TVM");
  EXPECT_FALSE(contender.ours);
  EXPECT_TRUE(contender.slow);
  const auto prepared = prepare(contender, {}, {}, {});
  EXPECT_EQ(prepared.status(), Status::absent);
  EXPECT_EQ(prepared.reason(), "built without TVM: run scripts/setup --with-tvm (550 MB), configure and build again");
}

}  // namespace
}  // namespace brickwork
