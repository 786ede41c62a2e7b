#include "experiments/harness/peaks/machine_peak.hpp"

#include <gtest/gtest.h>

#include "kernels/testing/only_target.hpp"

namespace brickwork {
namespace {

TEST(FmaPeak, CountsTwoFlopsPerMultiplyAdd) {
  for_every_target([](const char* name) {
    for (const int threads : {1, 2, 3}) {
      const FmaPeak peak(threads, 1000);
      EXPECT_EQ(peak.isa(), name);
      const double multiply_adds = peak.run(1, 1) - peak.run(1, 0);
      EXPECT_GE(multiply_adds, 1000.0 * threads) << name;
      EXPECT_EQ(peak.flop(), 2 * multiply_adds) << name << ", " << threads << " threads";
    }
  });
}

TEST(FmaPeak, ConvergesToTwo) {
  const FmaPeak peak(2);
  const double accumulators = peak.run(0, 1);  // each is 1
  EXPECT_GT(accumulators, 0);
  EXPECT_EQ(peak.run(), 2 * accumulators);
}

}  // namespace
}  // namespace brickwork
