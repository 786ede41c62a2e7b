#include "primitives/conv/op/conv_weight_update_op.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "primitives/conv/op/conv_taps.hpp"
#include "primitives/conv/op/sum_block.hpp"
#include "primitives/op/on_threads.hpp"

namespace brickwork {
namespace {

// The gradients of the weights between a block of c and a block of k. First sums the products of each output column
// over images and rows, and then these sums from left to right. A single running sum would be slow, as each addition
// waits for the one before.
void block_gradient(const ConvProblem& p, std::int64_t c_block, std::int64_t k_block, const double* src,
                    const double* ddst, double* dweights) {
  const std::int64_t first = k_block * kBlockSums, end = std::min(p.K, first + kBlockSums), taps = p.R * p.S;
  const auto zeros = [](std::int64_t size) { return std::vector<double>(static_cast<std::size_t>(size)); };
  auto columns = zeros(p.W * p.N * p.H * kBlockSums), outputs = zeros(kBlockSums * p.Q() * p.N * p.P()),
       sums = zeros(kBlockSums * taps * kBlockSums);
  const auto column = [&](std::int64_t w, std::int64_t n) { return &columns.data()[(w * p.N + n) * p.H * kBlockSums]; };
  const auto output = [&](std::int64_t k, std::int64_t q, std::int64_t n) {
    return &outputs.data()[(((k - first) * p.Q() + q) * p.N + n) * p.P()];
  };
  const auto sum_of = [&](std::int64_t k, std::int64_t tap) {
    return &sums.data()[((k - first) * taps + tap) * kBlockSums];
  };
  // Packs column by column, as rows are far apart and each is read for all taps.
  for (std::int64_t w = 0; w < p.W; ++w) {
    pack_block(src + w, c_block, {p.C, p.H * p.W}, {p.N, p.C * p.H * p.W}, {p.H, p.W}, column(w, 0));
  }
  for (std::int64_t k = first; k < end; ++k) {
    for (std::int64_t n = 0; n < p.N; ++n) {
      const double* const from = ddst + (n * p.K + k) * p.P() * p.Q();
      for (std::int64_t i = 0; i < p.P() * p.Q(); ++i) output(k, i % p.Q(), n)[i / p.Q()] = from[i];
    }
  }
  for (std::int64_t i = 0; i < p.Q() * taps; ++i) {
    const std::int64_t q = i / taps, tap = i % taps, r = tap / p.S, w = q * p.stride_w + tap % p.S - p.pad_w;
    if (w < 0 || w >= p.W) continue;
    const auto rows = rows_in_image(p, r);
    for (std::int64_t k = first; k < end; ++k) {
      SumBlock of_column, sum(sum_of(k, tap));
      for (std::int64_t n = 0; n < p.N; ++n) {
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
          of_column.add(output(k, q, n)[row], column(w, n) + image_row(p, row, r) * kBlockSums);
        }
      }
      sum.add(of_column);
      sum.store(sum_of(k, tap));
    }
  }
  for (std::int64_t k = first; k < end; ++k) {
    for (std::int64_t c = c_block * kBlockSums; c < std::min(p.C, (c_block + 1) * kBlockSums); ++c) {
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        dweights[(k * p.C + c) * taps + tap] = sum_of(k, tap)[c % kBlockSums];
      }
    }
  }
}

}  // namespace

std::vector<TensorInfo> ConvWeightUpdateOp::inputs(const ConvProblem& p) {
  return {{.name = "src", .dims = {p.N, p.C, p.H, p.W}, .per_image = true},
          {.name = "ddst", .dims = {p.N, p.K, p.P(), p.Q()}, .per_image = true}};
}

std::vector<TensorInfo> ConvWeightUpdateOp::outputs(const ConvProblem& p) {
  return {{.name = "dweights", .dims = {p.K, p.C, p.R, p.S}},
          {.name = "dbias", .dims = dims_if(p.epilogue.bias, {p.K})}};
}

void ConvWeightUpdateOp::reference(const ConvProblem& p, const PlainTensors& in, PlainTensors& out) {
  const double *src = in.at<double>("src"), *ddst = in.at<double>("ddst");
  double *dweights = out.at<double>("dweights"), *dbias = out.at<double>("dbias");
  const std::int64_t c_blocks = sum_blocks(p.C), pixels = p.P() * p.Q();
  on_threads(sum_blocks(p.K) * c_blocks,
             [&](std::int64_t block) { block_gradient(p, block % c_blocks, block / c_blocks, src, ddst, dweights); });
  on_threads(dbias == nullptr ? 0 : p.K, [&](std::int64_t k) {
    dbias[k] = 0;
    for (std::int64_t n = 0; n < p.N; ++n) {
      const double* from = ddst + (n * p.K + k) * pixels;
      dbias[k] = std::accumulate(from, from + pixels, dbias[k]);
    }
  });
}

}  // namespace brickwork
