#include "primitives/brgemm/op/brgemm_op.hpp"

#include <algorithm>

namespace brickwork {

void BrgemmOp::reference(const BrgemmProblem& p, const PlainTensors& in, PlainTensors& out) {
  const double* a = in.at<double>("A");  // [batch][m][k]
  double* c = out.at<double>("C");       // [m][n]
  std::fill_n(c, p.m * p.n, 0.0);
  for (std::int64_t i = 0; i < p.batch; ++i) {
    const double* b = in.at<double>("B") + i * p.k * p.n;  // [k][n]
    for (std::int64_t im = 0; im < p.m; ++im) {
      for (std::int64_t ik = 0; ik < p.k; ++ik) {
        const double a_k = a[(i * p.m + im) * p.k + ik];
        for (std::int64_t j = 0; j < p.n; ++j) c[im * p.n + j] += a_k * b[ik * p.n + j];
      }
    }
  }
}

}  // namespace brickwork
