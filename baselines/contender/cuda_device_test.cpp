#include "baselines/contender/cuda_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/gpu/cuda/cuda_absent.hpp"

namespace brickwork::cuda {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

TEST(CudaDevice, ExistsOrSaysInOneSentenceWhyNot) {
  if (cuda_absent().empty()) {
    ASSERT_NE(device(), nullptr);
    EXPECT_THAT(device()->isa, testing::StartsWith("sm_"));
    EXPECT_GT(device()->l2_bytes, 0);
    return;
  }
  EXPECT_EQ(device(), nullptr);
  EXPECT_THAT(cuda_absent(),
              AnyOf(HasSubstr("built without CUDA"), HasSubstr("no CUDA device"), HasSubstr("older than")));
  const auto refused = prepared([]() -> PreparedPtr { throw std::logic_error("asked where there is no device"); });
  EXPECT_EQ(refused.status(), Status::absent);
  EXPECT_EQ(refused.reason(), cuda_absent());
}

#ifdef BRICKWORK_HAS_CUDA_RUNTIME
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = cuda_absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(OnDevice, MemoryKeepsItsValues) {
  const std::vector<float> values{1, 2, 3};
  CudaMemory<float> memory(values);
  std::vector<float> read(values.size());
  memory.copy_to(read.data());
  EXPECT_EQ(read, values);
  memory.fill_with_nan();
  memory.copy_to(read.data());
  EXPECT_TRUE(std::isnan(read[0]) && std::isnan(read[2]));
}

TEST_F(OnDevice, TooLargeATensorIsRefusedWithTheSizes) {
  const auto refused = prepared([]() -> PreparedPtr {
    const CudaMemory<std::byte> memory(static_cast<std::size_t>(device()->memory_bytes) * 2);
    return nullptr;
  });
  EXPECT_EQ(refused.status(), Status::unsupported);
  EXPECT_THAT(refused.reason(),
              testing::MatchesRegex("a tensor of .* GB does not fit: .* GB of the device's .* GB are free"));
}

// Queues a memset of displace_cache()'s size.
TEST_F(OnDevice, AReplayTakesTheTimeOfItsRuns) {
  Queue& shared = queue();
  const auto replay = shared.record([&] { shared.displace_cache(); });
  EXPECT_THROW(shared.record([] { throw std::runtime_error("refused"); }), std::runtime_error);
  replay->seconds(1);
  const double one = replay->seconds(1), ten = replay->seconds(10);
  EXPECT_GT(one, 0);
  EXPECT_GT(ten, 4 * one);
  EXPECT_LT(ten, 25 * one);
}
#endif

}  // namespace
}  // namespace brickwork::cuda
