#include "experiments/harness/terminal/refusals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brickwork {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Refusals, AreShownOnceWhereTheyAreFirstMet) {
  Refusals refusals;
  const Refused latest{"latest", "absent", "built without it"}, plan{"ours", "misfit", "too large"};
  EXPECT_THAT(refusals.first_met("a", {latest, plan, {"latest-matmul", "absent", "built without it"}}),
              ElementsAre("  latest, latest-matmul absent on a: built without it", "  ours misfit on a: too large"));
  EXPECT_THAT(refusals.first_met("b", {latest, plan}), IsEmpty());
  EXPECT_THAT(refusals.first_met("c", {}), IsEmpty());
  EXPECT_THAT(
      refusals.first_met("d", {latest, {"ours", "misfit", "too small"}, {"theirs", "absent", "built without it"}}),
      ElementsAre("  ours misfit on d: too small", "  theirs absent on d: built without it"));
  EXPECT_THAT(refusals.first_met("e", {{"latest", "failed", "built without it"}}),
              ElementsAre("  latest failed on e: built without it"));
}

}  // namespace
}  // namespace brickwork
