// The blocked tensors of LIBXSMM's convolutions, with their padding stored as zeros:
//   src [N][C/bc][H+2*pad_h][W+2*pad_w][bc], weights [K/bk][C/bc][R][S][bc][bk], dst [N][K/bk][P][Q][bk].
#pragma once
#include <cstdint>

#include "aligned_buffer.hpp"
#include "conv_problem.hpp"
#include "plain_tensors.hpp"

namespace brickwork {

struct BlockedConvTensors {
  BlockedConvTensors(const ConvProblem&, std::int64_t bc, std::int64_t bk, int threads);  // bc divides C, bk divides K

  void pack(const PlainTensors& in);  // leaves the rim of zeros as it is
  void unpack(PlainTensors& out) const;

  float* src_row(std::int64_t n, std::int64_t cb, std::int64_t padded_h) {
    return src.data() + ((n * Cb + cb) * Hp + padded_h) * Wp * bc;
  }
  float* weights_block(std::int64_t kb, std::int64_t cb, std::int64_t r, std::int64_t s) {
    return weights.data() + (((kb * Cb + cb) * problem.R + r) * problem.S + s) * bc * bk;
  }
  float* dst_row(std::int64_t n, std::int64_t kb, std::int64_t p) {
    return dst.data() + ((n * Kb + kb) * problem.P() + p) * problem.Q() * bk;
  }

  ConvProblem problem;
  std::int64_t bc, bk, Cb, Kb, Hp, Wp;
  int threads;
  AlignedBuffer<float> src, weights, dst;
};

}  // namespace brickwork
