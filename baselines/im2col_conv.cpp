// im2col and one large SGEMM per image, all in NCHW: dst_n [K][P*Q] = weights [K][C*R*S] * columns [C*R*S][P*Q].
#include "conv_baselines.hpp"
#ifdef BRICKWORK_HAS_OPENBLAS
#include <algorithm>
#include <limits>
#include <optional>

#include "aligned_buffer.hpp"
#include "openblas.hpp"

namespace brickwork {
namespace {

// The image is its own column matrix.
bool needs_no_columns(const ConvProblem& p) {
  return p.R == 1 && p.S == 1 && p.stride_h == 1 && p.stride_w == 1 && p.pad_h == 0 && p.pad_w == 0;
}

// One row of the column matrix: what tap (r, s) of channel c sees at every output pixel.
void fill_column_row(const ConvProblem& p, const float* channel, std::int64_t r, std::int64_t s, float* row) {
  const std::int64_t P = p.P(), Q = p.Q(), first_w = s - p.pad_w;
  // Output columns below `left` see the padding on the left, those from `right` on that on the right.
  const auto columns_up_to = [&](std::int64_t w) {
    return std::clamp<std::int64_t>((w - first_w + p.stride_w - 1) / p.stride_w, 0, Q);
  };
  const std::int64_t left = columns_up_to(0), right = columns_up_to(p.W);
  for (std::int64_t out_h = 0; out_h < P; ++out_h, row += Q) {
    const std::int64_t h = out_h * p.stride_h + r - p.pad_h;
    if (h < 0 || h >= p.H) {
      std::fill_n(row, Q, 0.0f);
      continue;
    }
    const float* from = channel + h * p.W + first_w;
    std::fill_n(row, left, 0.0f);
    if (p.stride_w == 1) {
      std::copy(from + left, from + right, row + left);
    } else {
      for (std::int64_t q = left; q < right; ++q) row[q] = from[q * p.stride_w];
    }
    std::fill(row + right, row + Q, 0.0f);
  }
}

class PreparedIm2colConv final : public Prepared {
 public:
  PreparedIm2colConv(const ConvProblem& p, const PlainTensors& in, int threads)
      : problem_(p),
        src_(in.at<float>("src")),
        weights_(in.at<float>("weights")),
        bias_(in.at<float>("bias")),
        residual_(in.at<float>("residual")),
        threads_(threads),
        columns_(needs_no_columns(p) ? 0 : p.C * p.R * p.S * p.P() * p.Q()),
        dst_(p.N * p.K * p.P() * p.Q()) {
    openblas::use_threads(threads);
  }

  void pack() override {}  // works on the plain tensors; im2col is part of run()

  void run() override {
    const ConvProblem& p = problem_;
    const std::int64_t pixels = p.P() * p.Q(), reduction = p.C * p.R * p.S;
    for (std::int64_t n = 0; n < p.N; ++n) {
      const float* image = src_ + n * p.C * p.H * p.W;
      const float* columns = image;
      if (!needs_no_columns(p)) {
        fill_columns(image);
        columns = columns_.data();
      }
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(p.K), static_cast<blasint>(pixels),
                  static_cast<blasint>(reduction), 1.0f, weights_, static_cast<blasint>(reduction), columns,
                  static_cast<blasint>(pixels), 0.0f, dst_.data() + n * p.K * pixels, static_cast<blasint>(pixels));
    }
    if (p.epilogue.any()) apply_epilogue();
  }

  void unpack(PlainTensors& out) override { std::ranges::copy(dst_, out.at<float>("dst")); }

  std::string implementation() const override { return needs_no_columns(problem_) ? "sgemm" : "im2col+sgemm"; }
  std::string isa() const override { return openblas::isa(); }

 private:
  void fill_columns(const float* image) {
    const ConvProblem& p = problem_;
    const std::int64_t pixels = p.P() * p.Q();
#pragma omp parallel for num_threads(threads_) collapse(3)
    for (std::int64_t c = 0; c < p.C; ++c) {
      for (std::int64_t r = 0; r < p.R; ++r) {
        for (std::int64_t s = 0; s < p.S; ++s) {
          fill_column_row(p, image + c * p.H * p.W, r, s, columns_.data() + ((c * p.R + r) * p.S + s) * pixels);
        }
      }
    }
  }

  void apply_epilogue() {
    const ConvProblem& p = problem_;
    const std::int64_t pixels = p.P() * p.Q();
#pragma omp parallel for num_threads(threads_) collapse(2)
    for (std::int64_t n = 0; n < p.N; ++n) {
      for (std::int64_t k = 0; k < p.K; ++k) {
        const std::int64_t begin = (n * p.K + k) * pixels;
        float* dst = dst_.data() + begin;
        const float bias = bias_ != nullptr ? bias_[k] : 0.0f;
        const float least = p.epilogue.relu ? 0.0f : -std::numeric_limits<float>::infinity();
        if (residual_ != nullptr) {
          const float* residual = residual_ + begin;
          for (std::int64_t i = 0; i < pixels; ++i) dst[i] = std::max(least, dst[i] + bias + residual[i]);
        } else {
          for (std::int64_t i = 0; i < pixels; ++i) dst[i] = std::max(least, dst[i] + bias);
        }
      }
    }
  }

  ConvProblem problem_;
  const float *src_, *weights_, *bias_, *residual_;  // plain; null where the problem does without
  int threads_;
  AlignedBuffer<float> columns_, dst_;
};

std::optional<std::string> unsupported(const ConvProblem& p, const Resources& r) {
  if (std::max({p.K, p.P() * p.Q(), p.C * p.R * p.S}) > std::numeric_limits<blasint>::max()) {
    return "OpenBLAS takes matrices of up to 2^31 - 1 rows and columns: K, P*Q and C*R*S must not exceed them";
  }
  if (r.threads > 1 && openblas_get_parallel() != OPENBLAS_OPENMP) {
    return "this OpenBLAS brings its own threads: link its OpenMP build, or use one thread";
  }
  return std::nullopt;
}

}  // namespace

Contender<ConvForwardOp> im2col_conv() {
  return {.name = "im2col",
          .library = {"OpenBLAS", openblas::version()},
          .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = unsupported(p, r)) return Result<PreparedPtr>::unsupported(*why);
            return {std::make_unique<PreparedIm2colConv>(p, in, r.threads)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvForwardOp> brickwork::im2col_conv() {
  return absent_library<ConvForwardOp>("im2col", "OpenBLAS");
}

#endif
