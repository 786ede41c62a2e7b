#include "baselines/tensors/blocked_conv_tensors.hpp"

namespace brickwork::libxsmm {

BlockedImages::BlockedImages(std::int64_t images, std::int64_t features, std::int64_t height, std::int64_t width,
                             Rim zeros, std::int64_t feature_block, int thread_count)
    : N(images),
      F(features),
      H(height),
      W(width),
      rim(zeros),
      block(feature_block),
      blocks(features / feature_block),
      threads(thread_count),
      data(N * F * stored_h() * stored_w()) {}

void BlockedImages::pack(const float* plain) {
#pragma omp parallel for num_threads(threads) collapse(3)
  for (std::int64_t n = 0; n < N; ++n) {
    for (std::int64_t b = 0; b < blocks; ++b) {
      for (std::int64_t h = 0; h < H; ++h) {
        float* to = row(n, b, h + rim.h) + rim.w * block;
        for (std::int64_t f = 0; f < block; ++f) {
          const float* from = plain + ((n * F + b * block + f) * H + h) * W;
          for (std::int64_t w = 0; w < W; ++w) to[w * block + f] = from[w];
        }
      }
    }
  }
}

void BlockedImages::unpack(float* plain) const {
#pragma omp parallel for num_threads(threads) collapse(2)
  for (std::int64_t n = 0; n < N; ++n) {
    for (std::int64_t f = 0; f < F; ++f) {
      for (std::int64_t h = 0; h < H; ++h) {
        const float* from = data.data() + offset(n, f / block, h + rim.h) + rim.w * block + f % block;
        float* to = plain + ((n * F + f) * H + h) * W;
        for (std::int64_t w = 0; w < W; ++w) to[w] = from[w * block];
      }
    }
  }
}

BlockedWeights::BlockedWeights(const ConvProblem& p, std::int64_t c_block, std::int64_t k_block, int thread_count)
    : K(p.K),
      C(p.C),
      R(p.R),
      S(p.S),
      bc(c_block),
      bk(k_block),
      Cb(p.C / c_block),
      Kb(p.K / k_block),
      threads(thread_count),
      data(p.K * p.C * p.R * p.S) {}

void BlockedWeights::pack(const float* plain) {
  const std::int64_t taps = R * S;
#pragma omp parallel for num_threads(threads) collapse(2)
  for (std::int64_t kb = 0; kb < Kb; ++kb) {
    for (std::int64_t cb = 0; cb < Cb; ++cb) {
      float* to = at(kb, cb, 0, 0);
      for (std::int64_t k = 0; k < bk; ++k) {
        const float* from = plain + ((kb * bk + k) * C + cb * bc) * taps;
        for (std::int64_t c = 0; c < bc; ++c) {
          for (std::int64_t rs = 0; rs < taps; ++rs) to[(rs * bc + c) * bk + k] = from[c * taps + rs];
        }
      }
    }
  }
}

void BlockedWeights::pack_transposed(const float* plain) {
  const std::int64_t taps = R * S;
#pragma omp parallel for num_threads(threads) collapse(2)
  for (std::int64_t cb = 0; cb < Cb; ++cb) {
    for (std::int64_t kb = 0; kb < Kb; ++kb) {
      float* to = data.data() + (cb * Kb + kb) * taps * bc * bk;
      for (std::int64_t k = 0; k < bk; ++k) {
        const float* from = plain + ((kb * bk + k) * C + cb * bc) * taps;
        for (std::int64_t c = 0; c < bc; ++c) {
          for (std::int64_t rs = 0; rs < taps; ++rs) to[((taps - 1 - rs) * bk + k) * bc + c] = from[c * taps + rs];
        }
      }
    }
  }
}

void BlockedWeights::unpack(float* plain) const {
  const std::int64_t taps = R * S;
#pragma omp parallel for num_threads(threads) collapse(2)
  for (std::int64_t k = 0; k < K; ++k) {
    for (std::int64_t c = 0; c < C; ++c) {
      const float* from = data.data() + ((k / bk * Cb + c / bc) * taps * bc + c % bc) * bk + k % bk;
      float* to = plain + (k * C + c) * taps;
      for (std::int64_t rs = 0; rs < taps; ++rs) to[rs] = from[rs * bc * bk];
    }
  }
}

BlockedConvTensors::BlockedConvTensors(const ConvProblem& p, std::int64_t bc, std::int64_t bk, int thread_count,
                                       BlockedImages::Rim dst_rim)
    : problem(p),
      threads(thread_count),
      src(p.N, p.C, p.H, p.W, {p.pad_h, p.pad_w}, bc, threads),
      dst(p.N, p.K, p.P(), p.Q(), dst_rim, bk, threads),
      weights(p, bc, bk, threads) {}

}  // namespace brickwork::libxsmm
