#include <gtest/gtest.h>
#include <omp.h>

#include <limits>

#include "baselines.hpp"
#include "small_integers.hpp"

namespace brickwork {
namespace {

std::vector<float> expected_c(const BrgemmProblem& p, const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c(p.m * p.n);
  for (std::int64_t i = 0; i < p.batch; ++i) {
    for (std::int64_t m = 0; m < p.m; ++m) {
      for (std::int64_t n = 0; n < p.n; ++n) {
        for (std::int64_t k = 0; k < p.k; ++k)
          c[m * p.n + n] += a[(i * p.m + m) * p.k + k] * b[(i * p.k + k) * p.n + n];
      }
    }
  }
  return c;
}

bool is_exact(const BrgemmContender& contender, const BrgemmProblem& p, const Resources& resources) {
  const auto a = small_integers(p.batch * p.m * p.k, 1), b = small_integers(p.batch * p.k * p.n, 2);
  const auto expected = expected_c(p, a, b);
  omp_set_num_threads(resources.threads);
  const auto prepared = contender.prepare(p, {a.data(), b.data()}, resources);
  for (int round = 0; round < 2; ++round) {
    std::vector<float> c(expected.size(), std::numeric_limits<float>::quiet_NaN());
    prepared->pack();
    prepared->run();
    prepared->run();
    prepared->unpack(c.data());
    if (c != expected) return false;
  }
  return true;
}

TEST(BrgemmBaselines, AreExact) {
  for (const auto make : {make_libxsmm_small_gemm, make_openblas_small_gemm, make_onednn_batched_matmul}) {
    const auto contender = make();
    if (contender->version().empty()) continue;  // missing_library_test covers it
    for (const char* text : {"m1 n1 k1", "m28 n64 k64 batch16", "m7 n16 k64 batch9", "m6 n5 k3 batch7", "m64 n48 k32",
                             "m1 n70 k13 batch2", "m13 n1 k9 batch31", "m32 n32 k1 batch4"}) {
      const auto p = parse_brgemm_problem(text);
      ASSERT_EQ(contender->unsupported(p, {1}), std::nullopt);
      EXPECT_TRUE(is_exact(*contender, p, {1})) << contender->name() << " on " << text;
    }
  }
}

TEST(BrgemmBaselines, RunOnTwoThreadsOrRefuse) {
  const auto p = parse_brgemm_problem("m28 n64 k64 batch16");
  for (const auto make : {make_libxsmm_small_gemm, make_openblas_small_gemm}) {
    const auto contender = make();
    if (contender->version().empty()) continue;
    EXPECT_NE(contender->unsupported(p, {2}).value_or("").find("one thread"), std::string::npos);
  }
  const auto onednn = make_onednn_batched_matmul();
  if (onednn->version().empty()) return;
  EXPECT_EQ(onednn->unsupported(p, {2}), std::nullopt);
  EXPECT_TRUE(is_exact(*onednn, p, {2}));
}

}  // namespace
}  // namespace brickwork
