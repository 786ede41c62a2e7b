#include "conv_forward_op.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <vector>

#include "conv_taps.hpp"

namespace brickwork {
namespace {

// sum[q] = sum over c, r, s of src * weights, for one output row; src and weights are those of one image and one k.
void reduce_row(const ConvProblem& p, std::int64_t row, const double* src, const double* weights,
                std::vector<double>& sum) {
  std::ranges::fill(sum, 0.0);
  for (std::int64_t r = 0; r < p.R; ++r) {
    const std::int64_t h = image_row(p, row, r);
    if (h < 0 || h >= p.H) continue;
    for (std::int64_t s = 0; s < p.S; ++s) {
      const auto [begin, end] = columns_in_image(p, s);
      for (std::int64_t c = 0; c < p.C; ++c) {
        const double weight = weights[(c * p.R + r) * p.S + s];
        const double* src_row = src + (c * p.H + h) * p.W;
        for (std::int64_t q = begin; q < end; ++q) sum[q] += weight * src_row[q * p.stride_w + s - p.pad_w];
      }
    }
  }
}

}  // namespace

std::vector<TensorInfo> ConvForwardOp::inputs(const ConvProblem& p) {
  using Dims = std::vector<std::int64_t>;
  return {{.name = "src", .dims = {p.N, p.C, p.H, p.W}, .per_image = true},
          {.name = "weights", .dims = {p.K, p.C, p.R, p.S}},
          {.name = "bias", .dims = p.epilogue.bias ? Dims{p.K} : Dims{}},
          {.name = "residual", .dims = p.epilogue.residual ? Dims{p.N, p.K, p.P(), p.Q()} : Dims{}, .per_image = true}};
}

std::vector<TensorInfo> ConvForwardOp::outputs(const ConvProblem& p) {
  return {{.name = "dst", .dims = {p.N, p.K, p.P(), p.Q()}, .per_image = true}};
}

void ConvForwardOp::reference(const ConvProblem& p, const PlainTensors& in, PlainTensors& out) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  const double* src = in.at<double>("src");
  const double* weights = in.at<double>("weights");
  const double* bias = in.at<double>("bias");
  const double* residual = in.at<double>("residual");
  double* dst = out.at<double>("dst");
  const std::int64_t P = p.P(), Q = p.Q();
  Kokkos::parallel_for("ConvForwardOp::reference", Kokkos::RangePolicy<Space>(0, p.N * p.K), [&](std::int64_t nk) {
    const std::int64_t n = nk / p.K, k = nk % p.K;
    std::vector<double> sum(static_cast<std::size_t>(Q));
    for (std::int64_t row = 0; row < P; ++row) {
      reduce_row(p, row, src + n * p.C * p.H * p.W, weights + k * p.C * p.R * p.S, sum);
      for (std::int64_t q = 0; q < Q; ++q) {
        const std::int64_t i = (nk * P + row) * Q + q;
        double value = sum[static_cast<std::size_t>(q)];
        if (bias != nullptr) value += bias[k];
        if (residual != nullptr) value += residual[i];
        dst[i] = activated(p.epilogue.activation, value);
      }
    }
  });
  Kokkos::fence();
}

}  // namespace brickwork
