#include "pytorch_network.hpp"

#include <gtest/gtest.h>

#include "residual_network.hpp"

namespace brickwork {
namespace {

TEST(PytorchNetwork, IsAbsentWithoutItsProgram) {
  const auto contender = pytorch_network<ResidualNetwork>();
  EXPECT_EQ(contender.name, "pytorch");
  EXPECT_EQ(contender.library.name, "PyTorch");
  EXPECT_FALSE(contender.ours);
  const auto prepared = prepare(contender, {}, {}, {});
  EXPECT_EQ(prepared.status(), Status::absent);
  EXPECT_EQ(prepared.reason(),
            "built without PyTorch: run scripts/setup --with-pytorch (1.2 GB), configure and build anew");
}

TEST(PytorchNetwork, HasOpenMpsThreadsInItsProcess) {
  const auto contender = pytorch_network<ResidualNetwork>();
  ASSERT_TRUE(contender.elsewhere);
  EXPECT_EQ(contender.elsewhere->contender, "pytorch");
  EXPECT_FALSE(contender.elsewhere->own_threads);
}

}  // namespace
}  // namespace brickwork
