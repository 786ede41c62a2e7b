#include "baselines/elsewhere/onednn_latest.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "baselines/brgemm_baselines.hpp"
#include "baselines/conv_baselines.hpp"

namespace brickwork {
namespace {

TEST(OnednnLatest, IsAbsentWithoutItsProgram) {
  const auto contender = onednn_latest("onednn-latest", onednn_conv());
  EXPECT_EQ(contender.name, "onednn-latest");
  EXPECT_EQ(contender.library.name, "oneDNN");
  EXPECT_FALSE(contender.ours);
  const auto prepared = prepare(contender, {}, {}, {});
  EXPECT_EQ(prepared.status(), Status::absent);
  EXPECT_EQ(
      prepared.reason(),
      "built without the newest oneDNN: run scripts/setup --with-onednn-latest (2 GB), configure and build again");
}

TEST(OnednnLatest, IsMeasuredByAnotherProgramUnderTheBaselinesName) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(program_beside(self.filename().string()), self.string());
  const auto contender = onednn_latest("onednn-matmul-latest", onednn_batched_matmul());
  ASSERT_TRUE(contender.elsewhere);
  EXPECT_EQ(contender.elsewhere->contender, "onednn-matmul");
}

}  // namespace
}  // namespace brickwork
