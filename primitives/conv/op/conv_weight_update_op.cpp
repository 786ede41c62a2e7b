#include "conv_weight_update_op.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <numeric>
#include <vector>

#include "conv_taps.hpp"

namespace brickwork {
namespace {

// One weight's gradient. src and ddst are those of channel c and of k in the first image; the other images' are
// C*H*W and K*P*Q further on. The columns' sums are added up last: one sum alone would wait for itself.
double correlate(const ConvProblem& p, std::int64_t r, std::int64_t s, const double* src, const double* ddst,
                 std::vector<double>& sums) {
  const std::int64_t P = p.P(), Q = p.Q();
  const auto [begin, end] = columns_in_image(p, s);
  std::ranges::fill(sums, 0.0);
  for (std::int64_t n = 0; n < p.N; ++n, src += p.C * p.H * p.W, ddst += p.K * P * Q) {
    for (std::int64_t row = 0; row < P; ++row) {
      const std::int64_t h = image_row(p, row, r);
      if (h < 0 || h >= p.H) continue;
      const double *src_row = src + h * p.W, *ddst_row = ddst + row * Q;
      for (std::int64_t q = begin; q < end; ++q) sums[q] += ddst_row[q] * src_row[q * p.stride_w + s - p.pad_w];
    }
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

std::vector<TensorInfo> ConvWeightUpdateOp::inputs(const ConvProblem& p) {
  return {{.name = "src", .dims = {p.N, p.C, p.H, p.W}, .per_image = true},
          {.name = "ddst", .dims = {p.N, p.K, p.P(), p.Q()}, .per_image = true}};
}

std::vector<TensorInfo> ConvWeightUpdateOp::outputs(const ConvProblem& p) {
  using Dims = std::vector<std::int64_t>;
  return {{.name = "dweights", .dims = {p.K, p.C, p.R, p.S}},
          {.name = "dbias", .dims = p.epilogue.bias ? Dims{p.K} : Dims{}}};
}

void ConvWeightUpdateOp::reference(const ConvProblem& p, const PlainTensors& in, PlainTensors& out) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  const double* src = in.at<double>("src");
  const double* ddst = in.at<double>("ddst");
  double* dweights = out.at<double>("dweights");
  Kokkos::parallel_for("ConvWeightUpdateOp::reference", Kokkos::RangePolicy<Space>(0, p.K * p.C), [&](std::int64_t kc) {
    const std::int64_t k = kc / p.C, c = kc % p.C;
    std::vector<double> sums(static_cast<std::size_t>(p.Q()));
    for (std::int64_t r = 0; r < p.R; ++r) {
      for (std::int64_t s = 0; s < p.S; ++s) {
        dweights[(kc * p.R + r) * p.S + s] = correlate(p, r, s, src + c * p.H * p.W, ddst + k * p.P() * p.Q(), sums);
      }
    }
  });
  double* dbias = out.at<double>("dbias");
  const std::int64_t pixels = p.P() * p.Q();
  for (std::int64_t k = 0; dbias != nullptr && k < p.K; ++k) {
    dbias[k] = 0;
    for (std::int64_t n = 0; n < p.N; ++n) {
      const double* from = ddst + (n * p.K + k) * pixels;
      dbias[k] = std::accumulate(from, from + pixels, dbias[k]);
    }
  }
  Kokkos::fence();
}

}  // namespace brickwork
