#include "primitives/op/kokkos_scope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brickwork {
namespace {

// If Kokkos is absent, main() skips this test with the reason.
TEST(KokkosScope, IsNotAbsentWhereTestsRun) {
  EXPECT_EQ(kokkos_absent(), "");
  EXPECT_THAT(kokkos_configuration(), testing::HasSubstr("Kokkos"));
}

}  // namespace
}  // namespace brickwork
