#include "blocked_conv_tensors.hpp"

namespace brickwork {

BlockedConvTensors::BlockedConvTensors(const ConvProblem& p, std::int64_t c_block, std::int64_t k_block,
                                       int thread_count)
    : problem(p),
      bc(c_block),
      bk(k_block),
      Cb(p.C / c_block),
      Kb(p.K / k_block),
      Hp(p.H + 2 * p.pad_h),
      Wp(p.W + 2 * p.pad_w),
      threads(thread_count),
      src(p.N * p.C * Hp * Wp),
      weights(p.K * p.C * p.R * p.S),
      dst(p.N * p.K * p.P() * p.Q()) {}

void BlockedConvTensors::pack(const PlainTensors& in) {
  const ConvProblem& p = problem;
  const float *src_nchw = in.at<float>("src"), *weights_kcrs = in.at<float>("weights");
#pragma omp parallel num_threads(threads)
  {
#pragma omp for collapse(3) nowait
    for (std::int64_t n = 0; n < p.N; ++n) {
      for (std::int64_t cb = 0; cb < Cb; ++cb) {
        for (std::int64_t h = 0; h < p.H; ++h) {
          float* to = src_row(n, cb, h + p.pad_h) + p.pad_w * bc;
          for (std::int64_t c = 0; c < bc; ++c) {
            const float* from = src_nchw + ((n * p.C + cb * bc + c) * p.H + h) * p.W;
            for (std::int64_t w = 0; w < p.W; ++w) to[w * bc + c] = from[w];
          }
        }
      }
    }
    const std::int64_t taps = p.R * p.S;
#pragma omp for collapse(2)
    for (std::int64_t kb = 0; kb < Kb; ++kb) {
      for (std::int64_t cb = 0; cb < Cb; ++cb) {
        float* to = weights_block(kb, cb, 0, 0);
        for (std::int64_t k = 0; k < bk; ++k) {
          const float* from = weights_kcrs + ((kb * bk + k) * p.C + cb * bc) * taps;
          for (std::int64_t c = 0; c < bc; ++c) {
            for (std::int64_t rs = 0; rs < taps; ++rs) to[(rs * bc + c) * bk + k] = from[c * taps + rs];
          }
        }
      }
    }
  }
}

void BlockedConvTensors::unpack(PlainTensors& out) const {
  float* dst_nkpq = out.at<float>("dst");
  const std::int64_t pixels = problem.P() * problem.Q();
#pragma omp parallel for num_threads(threads) collapse(2)
  for (std::int64_t n = 0; n < problem.N; ++n) {
    for (std::int64_t k = 0; k < problem.K; ++k) {
      const float* from = dst.data() + (n * Kb + k / bk) * pixels * bk + k % bk;
      float* to = dst_nkpq + (n * problem.K + k) * pixels;
      for (std::int64_t i = 0; i < pixels; ++i) to[i] = from[i * bk];
    }
  }
}

}  // namespace brickwork
