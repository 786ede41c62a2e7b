#include "primitives/bricks/sums_of_columns.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "kernels/portable/brgemm_portable.hpp"

namespace brickwork {
namespace {

template <class T>
void expect_exact_sums(int k, int beta) {
  constexpr int kMembers = 3, kColumns = 5, kLd = 7;
  std::vector<T> b(static_cast<std::size_t>(kMembers * k * kLd), T(1e6F));  // 1e6 between the rows must not be added
  std::vector<float> right(kColumns, beta == 0 ? 0.0F : 100.0F), c(kColumns, 100.0F);
  for (int row = 0; row < kMembers * k; ++row) {
    for (int j = 0; j < kColumns; ++j) {
      const auto x = static_cast<float>((3 * row + 2 * j) % 5 - 2);
      b[static_cast<std::size_t>(row * kLd + j)] = T(x);
      right[static_cast<std::size_t>(j)] += x;
    }
  }
  const SumsOfColumns<T, float> sums{{.m = 1, .n = kColumns, .k = k, .ldb = kLd}};
  BrgemmCall call;
  const auto bytes = static_cast<std::int64_t>(sizeof(T));
  call.batch = Batch::strided(nullptr, b.data(), kMembers, 0, k * kLd * bytes);
  call.c = c.data();
  sums(OneThread(), beta, call, nullptr);
  EXPECT_EQ(c, right) << "k=" << k << " beta=" << beta;
}

TEST(SumsOfColumns, AddAllRowsOfAllMembers) {
  for (const int k : {1, 7, 31, 32, 33, 100}) {
    for (const int beta : {0, 1}) {
      expect_exact_sums<float>(k, beta);
      expect_exact_sums<bf16>(k, beta);
    }
  }
}

}  // namespace
}  // namespace brickwork
