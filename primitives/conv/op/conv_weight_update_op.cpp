#include "conv_weight_update_op.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <numeric>
#include <vector>

#include "conv_taps.hpp"
#include "sum_block.hpp"

namespace brickwork {
namespace {

// The gradients of the weights between a block of c and one of k. Of each output column first the products of all
// images and rows are summed up, and then these sums from left to right: one sum alone would wait for itself.
class BlockGradient {
 public:
  BlockGradient(const ConvProblem& p, const double* src, const double* ddst, std::int64_t c_block, std::int64_t k_block)
      : p_(p),
        src_(src),
        ddst_(ddst),
        c_block_(c_block),
        k_(k_block * kBlockSums),
        k_end_(std::min(p.K, k_ + kBlockSums)) {}

  void add_columns() {
    std::int64_t next = 0;  // of the image's columns, that is not packed
    for (std::int64_t q = 0; q < p_.Q(); ++q) {
      const std::int64_t left = q * p_.stride_w - p_.pad_w, end = std::min(left + p_.S, p_.W);
      for (next = std::max(next, left); next < end; ++next) {
        pack_block(src_ + next, c_block_, {p_.C, p_.H * p_.W}, {p_.N, p_.C * p_.H * p_.W}, {p_.H, p_.W}, column(next));
      }
      pack_outputs(q);
      for (std::int64_t w = std::max<std::int64_t>(left, 0); w < end; ++w) add_column(w - left, column(w));
    }
  }

  void store(double* dweights) const {
    for (std::int64_t k = k_; k < k_end_; ++k) {
      for (std::int64_t c = c_block_ * kBlockSums; c < std::min(p_.C, (c_block_ + 1) * kBlockSums); ++c) {
        for (std::int64_t tap = 0; tap < p_.R * p_.S; ++tap) {
          dweights[(k * p_.C + c) * p_.R * p_.S + tap] =
              sums_[place(k, tap) + static_cast<std::size_t>(c % kBlockSums)];
        }
      }
    }
  }

 private:
  std::size_t place(std::int64_t k, std::int64_t tap) const {
    return static_cast<std::size_t>(((k - k_) * p_.R * p_.S + tap) * kBlockSums);
  }
  double* column(std::int64_t w) { return columns_.data() + w % p_.S * p_.N * p_.H * kBlockSums; }

  double* outputs(std::int64_t k, std::int64_t n) { return outputs_.data() + ((k - k_) * p_.N + n) * p_.P(); }

  // A column of ddst: its rows are far apart, and each is read for all taps.
  void pack_outputs(std::int64_t q) {
    for (std::int64_t k = k_; k < k_end_; ++k) {
      for (std::int64_t n = 0; n < p_.N; ++n) {
        const double* ddst = ddst_ + (n * p_.K + k) * p_.P() * p_.Q() + q;
        for (std::int64_t row = 0; row < p_.P(); ++row) outputs(k, n)[row] = ddst[row * p_.Q()];
      }
    }
  }

  // What an output column adds through a column of the filter.
  void add_column(std::int64_t s, const double* column) {
    for (std::int64_t r = 0; r < p_.R; ++r) {
      const auto [begin, end] = rows_in_image(p_, r);
      for (std::int64_t k = k_; k < k_end_; ++k) {
        SumBlock of_column;
        for (std::int64_t n = 0; n < p_.N; ++n) {
          const double *ddst = outputs(k, n), *src = column + n * p_.H * kBlockSums;
          for (std::int64_t row = begin; row < end; ++row) {
            of_column.add(ddst[row], src + image_row(p_, row, r) * kBlockSums);
          }
        }
        double* const sums = &sums_[place(k, r * p_.S + s)];
        SumBlock sum(sums);
        sum.add(of_column);
        sum.store(sums);
      }
    }
  }

  const ConvProblem& p_;
  const double *src_, *ddst_;
  std::int64_t c_block_, k_, k_end_;
  std::vector<double> outputs_ =
      std::vector<double>(static_cast<std::size_t>(kBlockSums * p_.N * p_.P()));  // [k][N][P]
  std::vector<double> columns_ =
      std::vector<double>(static_cast<std::size_t>(p_.S * p_.N * p_.H * kBlockSums));  // [S][N][H]
  std::vector<double> sums_ =
      std::vector<double>(static_cast<std::size_t>(kBlockSums * p_.R * p_.S * kBlockSums));  // by k, r, s
};

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
  const std::int64_t c_blocks = sum_blocks(p.C), pixels = p.P() * p.Q();
  const char* const name = "ConvWeightUpdateOp::reference";
  Kokkos::parallel_for(name, Kokkos::RangePolicy<Space>(0, sum_blocks(p.K) * c_blocks), [&](std::int64_t block) {
    BlockGradient gradient(p, src, ddst, block % c_blocks, block / c_blocks);
    gradient.add_columns();
    gradient.store(dweights);
  });
  double* dbias = out.at<double>("dbias");
  Kokkos::parallel_for(name, Kokkos::RangePolicy<Space>(0, dbias == nullptr ? 0 : p.K), [&](std::int64_t k) {
    dbias[k] = 0;
    for (std::int64_t n = 0; n < p.N; ++n) {
      const double* from = ddst + (n * p.K + k) * pixels;
      dbias[k] = std::accumulate(from, from + pixels, dbias[k]);
    }
  });
  Kokkos::fence();
}

}  // namespace brickwork
