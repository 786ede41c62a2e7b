#include "primitives/planning/variants/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/planning/machine_model.hpp"
#include "primitives/planning/variants/plan_variants.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::Not;

// C[m][n] += A[m][k] * B[k][n] of 64 x 32 x 16 elements, in calls of 8 x 4 x 16.
Variant matmul(const char* loops) {
  const NestTouches touches{
      .loops = {{"m", 8}, {"n", 8}, {.name = "k", .extent = 1, .kind = LoopKind::reduction, .ranged = true}},
      .axes = {{"m", 64, 0, 8}, {"n", 32, 1, 4}, {"k", 16, 2, 16}},
      .tensors = {{"A", Touch::read, {{{{0}}, 0, 64}, {{{2}}, 0, 16}}},
                  {"B", Touch::read, {{{{2}}, 0, 16}, {{{1}}, 0, 32}}},
                  {"C", Touch::reduce, {{{{0}}, 0, 64}, {{{1}}, 0, 32}}}}};
  return {.nest = *scheduled(touches, parse_loop_schedule(loops)), .facts = {.fmas = 59e3, .calls = 64}};
}

TEST(Explanation, SaysWhatEachLoopTouchesAndWhichCacheHoldsIt) {
  const Variant first = matmul("m n k"), second = matmul("n m k");
  const CacheHierarchy caches = MachineModel{.l1_bytes = 1000, .l2_bytes = 5000}.caches();
  const std::string text = explanation({{"the first plan", &first}, {"the second plan", &second}}, 2, caches, "made");
  EXPECT_THAT(text, testing::StartsWith("the first plan\n"));
  EXPECT_THAT(text, HasSubstr("L1 1.0 KB, L2 5.0 KB, L3 5.0 MB"));
  // An iteration of m touches 512 bytes of A, 2048 of B and 1024 of C; one of n 512, 256 and 128.
  EXPECT_THAT(text, testing::ContainsRegex("m +8 +3.6 KB +L2 +512 B +2.0 KB +1.0 KB"));
  EXPECT_THAT(text, testing::ContainsRegex("n +8 +896 B +L1 +512 B +256 B +128 B"));
  EXPECT_THAT(text, testing::ContainsRegex("B +2.0 KB"));  // once
  EXPECT_THAT(text, HasSubstr("C           after each call, on 128 B in L1; after the nest its 8.2 KB are in L3"));
  EXPECT_THAT(text, HasSubstr("multiply-adds 1.0 + calls 3.5"));
  EXPECT_THAT(text, HasSubstr("The next of 2 variants, by the ranking made\n"));
  EXPECT_THAT(text, HasSubstr("us  the second plan\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n  k ")));  // a single iteration
}

TEST(Ranked, PutsTheCheapestFirstAndKeepsTheOrderOfEqualOnes) {
  std::vector<Variant> variants{matmul("m n k"), matmul("m n k"), matmul("m n k")};
  variants[0].facts.calls = 100;
  const Ranking by_calls{"calls", "", [](std::span<const Variant> all, const CacheHierarchy&) {
                           std::vector<double> costs;
                           for (const Variant& variant : all) costs.push_back(variant.facts.calls);
                           return costs;
                         }};
  EXPECT_THAT(ranked(by_calls, variants, {}), testing::ElementsAre(1, 2, 0));
}

}  // namespace
}  // namespace brickwork
