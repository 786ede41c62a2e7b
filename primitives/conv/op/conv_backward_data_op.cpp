#include "primitives/conv/op/conv_backward_data_op.hpp"

#include <algorithm>
#include <vector>

#include "primitives/conv/op/conv_taps.hpp"
#include "primitives/conv/op/sum_block.hpp"
#include "primitives/op/on_threads.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kFilters = 16;  // their weights for one block of c stay in L1 along a row

// An output that reads a pixel, and the weight of the filter's tap by which it does.
struct Tap {
  std::int64_t output, weight;
};

// The taps for each pixel of image row h.
std::vector<std::vector<Tap>> taps_of_row(const ConvProblem& p, std::int64_t h) {
  std::vector<std::vector<Tap>> taps(static_cast<std::size_t>(p.W));
  for (std::int64_t row = 0; row < p.P(); ++row) {
    const std::int64_t r = h - image_row(p, row, 0);
    if (r < 0 || r >= p.R) continue;
    for (std::int64_t s = 0; s < p.S; ++s) {
      const auto [begin, end] = columns_in_image(p, s);
      for (std::int64_t q = begin; q < end; ++q) {
        taps[static_cast<std::size_t>(q * p.stride_w + s - p.pad_w)].push_back({row * p.Q() + q, r * p.S + s});
      }
    }
  }
  return taps;
}

// sums[w][kBlockSums] = sum over k and taps of ddst * weights, for one image row and one block of c. ddst has one
// image; weights are [k][r][s][kBlockSums].
void gather_row(const ConvProblem& p, std::int64_t h, const double* ddst, const double* weights,
                std::vector<double>& sums) {
  const std::int64_t outputs = p.P() * p.Q();
  const auto taps = taps_of_row(p, h);
  for (std::int64_t first = 0; first < p.K; first += kFilters) {
    const std::int64_t last = std::min(p.K, first + kFilters);
    for (std::int64_t w = 0; w < p.W; ++w) {
      SumBlock sum(&sums[static_cast<std::size_t>(w * kBlockSums)]);
      for (std::int64_t k = first; k < last; ++k) {
        for (const Tap& tap : taps[static_cast<std::size_t>(w)]) {
          sum.add(ddst[k * outputs + tap.output], weights + (k * p.R * p.S + tap.weight) * kBlockSums);
        }
      }
      sum.store(&sums[static_cast<std::size_t>(w * kBlockSums)]);
    }
  }
}

}  // namespace

std::vector<TensorInfo> ConvBackwardDataOp::inputs(const ConvProblem& p) {
  const std::vector<std::int64_t> dsrc{p.N, p.C, p.H, p.W};
  return {{.name = "ddst", .dims = {p.N, p.K, p.P(), p.Q()}, .per_image = true},
          {.name = "weights", .dims = {p.K, p.C, p.R, p.S}},
          {.name = "residual", .dims = dims_if(p.epilogue.residual, dsrc), .per_image = true},
          {.name = "at", .dims = dims_if(p.epilogue.derivative, dsrc), .per_image = true}};
}

std::vector<TensorInfo> ConvBackwardDataOp::outputs(const ConvProblem& p) {
  return {{.name = "dsrc", .dims = {p.N, p.C, p.H, p.W}, .per_image = true}};
}

void ConvBackwardDataOp::reference(const ConvProblem& p, const PlainTensors& in, PlainTensors& out) {
  const double *ddst = in.at<double>("ddst"), *weights = in.at<double>("weights"),
               *residual = in.at<double>("residual"), *at = in.at<double>("at");
  double* dsrc = out.at<double>("dsrc");
  const std::int64_t blocks = sum_blocks(p.C), taps = p.R * p.S;
  std::vector<double> packed(static_cast<std::size_t>(blocks * p.K * taps * kBlockSums));
  const auto weights_of = [&](std::int64_t block) { return packed.data() + block * p.K * taps * kBlockSums; };
  on_threads(blocks, [&](std::int64_t block) {
    pack_block(weights, block, {p.C, taps}, {p.K, p.C * taps}, {taps, 1}, weights_of(block));
  });
  on_threads(p.N * blocks * p.H, [&](std::int64_t i) {
    const std::int64_t n = i / p.H / blocks, block = i / p.H % blocks, h = i % p.H;
    std::vector<double> sums(static_cast<std::size_t>(p.W * kBlockSums));
    gather_row(p, h, ddst + n * p.K * p.P() * p.Q(), weights_of(block), sums);
    for (std::int64_t c = block * kBlockSums; c < std::min(p.C, (block + 1) * kBlockSums); ++c) {
      for (std::int64_t w = 0; w < p.W; ++w) {
        const std::int64_t pixel = ((n * p.C + c) * p.H + h) * p.W + w;
        dsrc[pixel] = sums[static_cast<std::size_t>(w * kBlockSums + c % kBlockSums)];
        if (residual != nullptr) dsrc[pixel] += residual[pixel];
        if (at != nullptr) dsrc[pixel] = times_derivative(p.epilogue.activation, dsrc[pixel], at[pixel]);
      }
    }
  });
}

}  // namespace brickwork
