#include "primitives/brgemm/op/brgemm_league_op.hpp"

#include <algorithm>

namespace brickwork {

void BrgemmLeagueOp::reference(const BrgemmLeagueProblem& p, const PlainTensors& in, PlainTensors& out) {
  const double* a = in.at<double>("A");  // [tasks * m][depth]
  const double* b = in.at<double>("B");  // [depth][n]
  double* c = out.at<double>("C");       // [tasks * m][n]
  std::fill_n(c, p.tasks * p.m * p.n, 0.0);
  for (std::int64_t row = 0; row < p.tasks * p.m; ++row) {
    for (std::int64_t i = 0; i < p.depth(); ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) c[row * p.n + j] += a[row * p.depth() + i] * b[i * p.n + j];
    }
  }
}

}  // namespace brickwork
