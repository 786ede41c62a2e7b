#include "conv_backward_data_op.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "conv_taps.hpp"

namespace brickwork {
namespace {

// One channel of one image: every element of ddst adds to the pixels that it came from. ddst is that of the image,
// weights those of the channel, whose filters are `next_filter` apart.
void spread_channel(const ConvProblem& p, const double* ddst, const double* weights, std::int64_t next_filter,
                    double* dsrc) {
  const std::int64_t P = p.P(), Q = p.Q();
  std::fill_n(dsrc, p.H * p.W, 0.0);
  for (std::int64_t k = 0; k < p.K; ++k, weights += next_filter) {
    for (std::int64_t row = 0; row < P; ++row) {
      const double* ddst_row = ddst + (k * P + row) * Q;
      for (std::int64_t r = 0; r < p.R; ++r) {
        const std::int64_t h = image_row(p, row, r);
        if (h < 0 || h >= p.H) continue;
        for (std::int64_t s = 0; s < p.S; ++s) {
          const auto [begin, end] = columns_in_image(p, s);
          const double weight = weights[r * p.S + s];
          double* pixels = dsrc + h * p.W;
          for (std::int64_t q = begin; q < end; ++q) pixels[q * p.stride_w + s - p.pad_w] += weight * ddst_row[q];
        }
      }
    }
  }
}

}  // namespace

std::vector<TensorInfo> ConvBackwardDataOp::inputs(const ConvProblem& p) {
  using Dims = std::vector<std::int64_t>;
  const Dims dsrc{p.N, p.C, p.H, p.W};
  return {{.name = "ddst", .dims = {p.N, p.K, p.P(), p.Q()}, .per_image = true},
          {.name = "weights", .dims = {p.K, p.C, p.R, p.S}},
          {.name = "residual", .dims = p.epilogue.residual ? dsrc : Dims{}, .per_image = true},
          {.name = "at", .dims = p.epilogue.derivative ? dsrc : Dims{}, .per_image = true}};
}

std::vector<TensorInfo> ConvBackwardDataOp::outputs(const ConvProblem& p) {
  return {{.name = "dsrc", .dims = {p.N, p.C, p.H, p.W}, .per_image = true}};
}

void ConvBackwardDataOp::reference(const ConvProblem& p, const PlainTensors& in, PlainTensors& out) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  const double* ddst = in.at<double>("ddst");
  const double* weights = in.at<double>("weights");
  const double* residual = in.at<double>("residual");
  const double* at = in.at<double>("at");
  double* dsrc = out.at<double>("dsrc");
  Kokkos::parallel_for("ConvBackwardDataOp::reference", Kokkos::RangePolicy<Space>(0, p.N * p.C), [&](std::int64_t nc) {
    const std::int64_t n = nc / p.C, c = nc % p.C;
    spread_channel(p, ddst + n * p.K * p.P() * p.Q(), weights + c * p.R * p.S, p.C * p.R * p.S, dsrc + nc * p.H * p.W);
    for (std::int64_t i = nc * p.H * p.W; i < (nc + 1) * p.H * p.W; ++i) {
      if (residual != nullptr) dsrc[i] += residual[i];
      if (at != nullptr) dsrc[i] = times_derivative(p.epilogue.activation, dsrc[i], at[i]);
    }
  });
  Kokkos::fence();
}

}  // namespace brickwork
