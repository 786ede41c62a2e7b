#include "conv/conv_reference.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <vector>

namespace brickwork {
namespace {

// How many of the output columns 0 .. Q-1 have q * stride + s - pad < limit; with limit 0, how many fall into the left
// padding.
std::int64_t columns_below(std::int64_t limit, std::int64_t s, const ConvProblem& p) {
  const std::int64_t room = limit + p.pad_w - s;
  return room <= 0 ? 0 : std::min(p.Q(), (room + p.stride_w - 1) / p.stride_w);
}

// sum[q] = sum over c, r, s of src * weights, for one output row; src and weights are those of one image and one k.
void reduce_row(const ConvProblem& p, std::int64_t row, const float* src, const float* weights,
                std::vector<double>& sum) {
  std::ranges::fill(sum, 0.0);
  for (std::int64_t c = 0; c < p.C; ++c) {
    for (std::int64_t r = 0; r < p.R; ++r) {
      const std::int64_t h = row * p.stride_h + r - p.pad_h;
      if (h < 0 || h >= p.H) continue;
      for (std::int64_t s = 0; s < p.S; ++s) {
        const double weight = weights[(c * p.R + r) * p.S + s];
        const float* src_row = src + (c * p.H + h) * p.W;
        const std::int64_t end = columns_below(p.W, s, p);
        for (std::int64_t q = columns_below(0, s, p); q < end; ++q) {
          sum[q] += weight * src_row[q * p.stride_w + s - p.pad_w];
        }
      }
    }
  }
}

}  // namespace

void conv_forward_reference(const ConvProblem& p, const float* src, const float* weights, const float* bias,
                            const float* residual, float* dst) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  const std::int64_t P = p.P(), Q = p.Q();
  Kokkos::parallel_for("conv_forward_reference", Kokkos::RangePolicy<Space>(0, p.N * p.K), [&](std::int64_t nk) {
    const std::int64_t n = nk / p.K, k = nk % p.K;
    std::vector<double> sum(Q);
    for (std::int64_t row = 0; row < P; ++row) {
      reduce_row(p, row, src + n * p.C * p.H * p.W, weights + k * p.C * p.R * p.S, sum);
      for (std::int64_t q = 0; q < Q; ++q) {
        const std::int64_t i = (nk * P + row) * Q + q;
        double value = sum[q];
        if (p.epilogue.bias) value += bias[k];
        if (p.epilogue.residual) value += residual[i];
        if (p.epilogue.relu) value = std::max(0.0, value);
        dst[i] = static_cast<float>(value);
      }
    }
  });
  Kokkos::fence();
}

}  // namespace brickwork
