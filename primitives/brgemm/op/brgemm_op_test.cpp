#include "primitives/brgemm/op/brgemm_op.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace brickwork {
namespace {

TEST(BrgemmOp, SumsTheProductsOfTheBatch) {
  const auto p = parse_problem<BrgemmProblem>("m2 n3 k1 batch2");
  PlainTensors in(with_dtype(BrgemmOp::inputs(p), DType::f64)), out(with_dtype(BrgemmOp::outputs(p), DType::f64));
  std::ranges::copy(std::vector<double>{1, 2, 10, 20}, in.at<double>("A"));      // [i][m]
  std::ranges::copy(std::vector<double>{1, 2, 3, 4, 5, 6}, in.at<double>("B"));  // [i][n]
  std::ranges::fill(out.values<double>(0), 7);
  BrgemmOp::reference(p, in, out);
  const auto c = out.values<double>(0);
  EXPECT_EQ(std::vector<double>(c.begin(), c.end()), (std::vector<double>{41, 52, 63, 82, 104, 126}));
}

}  // namespace
}  // namespace brickwork
