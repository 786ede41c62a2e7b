#include "primitives/conv/op/conv_forward_op.hpp"

#include <algorithm>
#include <vector>

#include "primitives/conv/op/conv_taps.hpp"
#include "primitives/conv/op/sum_block.hpp"
#include "primitives/op/on_threads.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kChannels = 32;  // their weights for one block of k stay in L1 along a row

// sums[q][kBlockSums] = sum over r, s, c of src * weights, for one output row and one block of k. src has one image;
// weights are [r][s][c][kBlockSums].
void reduce_row(const ConvProblem& p, std::int64_t row, const double* src, const double* weights,
                std::vector<double>& sums) {
  std::ranges::fill(sums, 0.0);
  for (std::int64_t r = 0; r < p.R; ++r) {
    const std::int64_t h = image_row(p, row, r);
    if (h < 0 || h >= p.H) continue;
    for (std::int64_t s = 0; s < p.S; ++s) {
      const auto [begin, end] = columns_in_image(p, s);
      const double* tap = weights + (r * p.S + s) * p.C * kBlockSums;
      for (std::int64_t first = 0; first < p.C; first += kChannels) {
        const std::int64_t last = std::min(p.C, first + kChannels);
        for (std::int64_t q = begin; q < end; ++q) {
          const double* pixel = src + h * p.W + q * p.stride_w + s - p.pad_w;
          SumBlock sum(&sums[static_cast<std::size_t>(q * kBlockSums)]);
          for (std::int64_t c = first; c < last; ++c) sum.add(pixel[c * p.H * p.W], tap + c * kBlockSums);
          sum.store(&sums[static_cast<std::size_t>(q * kBlockSums)]);
        }
      }
    }
  }
}

}  // namespace

std::vector<TensorInfo> ConvForwardOp::inputs(const ConvProblem& p) {
  return {{.name = "src", .dims = {p.N, p.C, p.H, p.W}, .per_image = true},
          {.name = "weights", .dims = {p.K, p.C, p.R, p.S}},
          {.name = "bias", .dims = dims_if(p.epilogue.bias, {p.K})},
          {.name = "residual", .dims = dims_if(p.epilogue.residual, {p.N, p.K, p.P(), p.Q()}), .per_image = true}};
}

std::vector<TensorInfo> ConvForwardOp::outputs(const ConvProblem& p) {
  return {{.name = "dst", .dims = {p.N, p.K, p.P(), p.Q()}, .per_image = true}};
}

void ConvForwardOp::reference(const ConvProblem& p, const PlainTensors& in, PlainTensors& out) {
  const double *src = in.at<double>("src"), *weights = in.at<double>("weights"), *bias = in.at<double>("bias"),
               *residual = in.at<double>("residual");
  double* dst = out.at<double>("dst");
  const std::int64_t P = p.P(), Q = p.Q(), blocks = sum_blocks(p.K), taps = p.R * p.S;
  std::vector<double> packed(static_cast<std::size_t>(blocks * taps * p.C * kBlockSums));
  const auto weights_of = [&](std::int64_t block) { return packed.data() + block * taps * p.C * kBlockSums; };
  on_threads(blocks, [&](std::int64_t block) {
    pack_block(weights, block, {p.K, p.C * taps}, {taps, 1}, {p.C, taps}, weights_of(block));
  });
  on_threads(p.N * blocks * P, [&](std::int64_t i) {
    const std::int64_t n = i / P / blocks, block = i / P % blocks, row = i % P;
    std::vector<double> sums(static_cast<std::size_t>(Q * kBlockSums));
    reduce_row(p, row, src + n * p.C * p.H * p.W, weights_of(block), sums);
    for (std::int64_t k = block * kBlockSums; k < std::min(p.K, (block + 1) * kBlockSums); ++k) {
      for (std::int64_t q = 0; q < Q; ++q) {
        const std::int64_t at = ((n * p.K + k) * P + row) * Q + q;
        double value = sums[static_cast<std::size_t>(q * kBlockSums + k % kBlockSums)];
        if (bias != nullptr) value += bias[k];
        if (residual != nullptr) value += residual[at];
        dst[at] = activated(p.epilogue.activation, value);
      }
    }
  });
}

}  // namespace brickwork
