#include "baselines/elsewhere/pytorch_elsewhere.hpp"

#include <gtest/gtest.h>

#include "primitives/recursive/op/recursive_ops.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork {
namespace {

TEST(PytorchElsewhere, IsAbsentWithoutItsProgram) {
  const auto contender = pytorch_elsewhere<RnnForwardOp>();
  EXPECT_EQ(contender.name, "pytorch");
  EXPECT_EQ(contender.library.name, "PyTorch");
  EXPECT_FALSE(contender.ours);
  const auto prepared = prepare(contender, {}, {}, {});
  EXPECT_EQ(prepared.status(), Status::absent);
  EXPECT_EQ(prepared.reason(),
            "built without PyTorch: run scripts/setup --with-pytorch (1.2 GB), configure and build again");
}

TEST(PytorchElsewhere, UsesOpenMpThreadsInItsProcess) {
  const auto contender = pytorch_elsewhere<RnnForwardOp>();
  ASSERT_TRUE(contender.elsewhere);
  EXPECT_EQ(contender.elsewhere->contender, "pytorch");
  EXPECT_FALSE(contender.elsewhere->own_threads);
}

TEST(PytorchElsewhere, HasTheNameOfTheContenderThere) {
  const auto contender = pytorch_elsewhere<RecursiveInferenceOp>("pytorch-levels");
  EXPECT_EQ(contender.name, "pytorch-levels");
  ASSERT_TRUE(contender.elsewhere);
  EXPECT_EQ(contender.elsewhere->contender, "pytorch-levels");
}

}  // namespace
}  // namespace brickwork
