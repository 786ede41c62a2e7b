// The blocked tensors of LIBXSMM's convolutions, with packing from and unpacking to plain tensors.
#pragma once
#include <cstdint>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/op/plain_tensors.hpp"

namespace brickwork::libxsmm {

// Plain [N][F][H][W]; blocked [N][F/block][H+2*rim_h][W+2*rim_w][block] with a rim of zeros around each image.
struct BlockedImages {
  struct Rim {
    std::int64_t h = 0, w = 0;
  };
  // block must divide F.
  BlockedImages(std::int64_t N, std::int64_t F, std::int64_t H, std::int64_t W, Rim, std::int64_t block, int threads);

  void pack(const float* plain);  // does not touch the rim
  void unpack(float* plain) const;

  float* row(std::int64_t n, std::int64_t b, std::int64_t stored_h) { return data.data() + offset(n, b, stored_h); }
  std::int64_t stored_h() const { return H + 2 * rim.h; }
  std::int64_t stored_w() const { return W + 2 * rim.w; }

  std::int64_t N, F, H, W;
  Rim rim;
  std::int64_t block, blocks;
  int threads;
  AlignedBuffer<float> data;

 private:
  std::int64_t offset(std::int64_t n, std::int64_t b, std::int64_t stored_row) const {
    return ((n * blocks + b) * stored_h() + stored_row) * stored_w() * block;
  }
};

// Plain [K][C][R][S]; blocked [K/bk][C/bc][R][S][bc][bk]; transposed, for backward by data, with C and K exchanged and
// taps mirrored: [C/bc][K/bk][R-1-r][S-1-s][bk][bc].
struct BlockedWeights {
  BlockedWeights(const ConvProblem&, std::int64_t bc, std::int64_t bk, int threads);  // bc must divide C, bk must
                                                                                      // divide K

  void pack(const float* plain);
  void pack_transposed(const float* plain);
  void unpack(float* plain) const;

  float* at(std::int64_t kb, std::int64_t cb, std::int64_t r, std::int64_t s) {
    return data.data() + (((kb * Cb + cb) * R + r) * S + s) * bc * bk;
  }

  std::int64_t K, C, R, S, bc, bk, Cb, Kb;
  int threads;
  AlignedBuffer<float> data;
};

// The tensors of one problem: src with its padding, dst with an optional rim.
struct BlockedConvTensors {
  BlockedConvTensors(const ConvProblem&, std::int64_t bc, std::int64_t bk, int threads,
                     BlockedImages::Rim dst_rim = {});

  ConvProblem problem;
  int threads;
  BlockedImages src, dst;
  BlockedWeights weights;
};

}  // namespace brickwork::libxsmm
