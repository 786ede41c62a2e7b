#include "baselines/add_baselines.hpp"

#include <gtest/gtest.h>

#include "baselines/testing/exact.hpp"

namespace brickwork {
namespace {

constexpr const char* kAdditions[] = {"E1", "N2 E31", "N3 E4097", "N2 E100000"};

TEST(AddBaselines, AreExact) {
  for (const char* text : kAdditions) {
    const auto p = parse_problem<AddProblem>(text);
    if (onednn_add().library.absent.empty()) {
      EXPECT_TRUE(is_exact(onednn_add(), p, make_checkable_test_data<AddForwardOp>(p, Fill::integers), 2));
      EXPECT_TRUE(is_exact(onednn_add_backward(), p, make_checkable_test_data<AddBackwardOp>(p, Fill::integers), 2));
    }
  }
}

TEST(AddBaselines, AddWithoutARelu) {
  const auto p = parse_problem<AddProblem>("N2 E77 none");
  if (!onednn_add().library.absent.empty()) GTEST_SKIP();
  EXPECT_TRUE(is_exact(onednn_add(), p, make_checkable_test_data<AddForwardOp>(p, Fill::integers), 1));
}

}  // namespace
}  // namespace brickwork
