// im2col and one large SGEMM per image, all in NCHW: dst_n [K][P*Q] = weights [K][C*R*S] * columns [C*R*S][P*Q].
#include <algorithm>
#include <limits>

#include "aligned_buffer.hpp"
#include "baselines.hpp"
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
  PreparedIm2colConv(const ConvProblem& p, const ConvTensors& t, int threads)
      : problem_(p),
        plain_(t),
        threads_(threads),
        columns_(needs_no_columns(p) ? 0 : p.C * p.R * p.S * p.P() * p.Q()),
        dst_(p.dst_size()) {
    openblas::use_threads(threads);
  }

  void pack() override {}  // works on the plain tensors; im2col is part of run()

  void run() override {
    const ConvProblem& p = problem_;
    const std::int64_t pixels = p.P() * p.Q(), reduction = p.C * p.R * p.S;
    for (std::int64_t n = 0; n < p.N; ++n) {
      const float* image = plain_.src + n * p.C * p.H * p.W;
      const float* columns = image;
      if (!needs_no_columns(p)) {
        fill_columns(image);
        columns = columns_.data();
      }
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(p.K), static_cast<blasint>(pixels),
                  static_cast<blasint>(reduction), 1.0f, plain_.weights, static_cast<blasint>(reduction), columns,
                  static_cast<blasint>(pixels), 0.0f, dst_.data() + n * p.K * pixels, static_cast<blasint>(pixels));
    }
    if (p.epilogue.any()) apply_epilogue();
  }

  void unpack(float* dst_plain) override { std::ranges::copy(dst_, dst_plain); }

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
        const float bias = p.epilogue.bias ? plain_.bias[k] : 0.0f;
        const float least = p.epilogue.relu ? 0.0f : -std::numeric_limits<float>::infinity();
        if (p.epilogue.residual) {
          const float* residual = plain_.residual + begin;
          for (std::int64_t i = 0; i < pixels; ++i) dst[i] = std::max(least, dst[i] + bias + residual[i]);
        } else {
          for (std::int64_t i = 0; i < pixels; ++i) dst[i] = std::max(least, dst[i] + bias);
        }
      }
    }
  }

  ConvProblem problem_;
  ConvTensors plain_;
  int threads_;
  AlignedBuffer<float> columns_, dst_;
};

class Im2colConv final : public ConvContender {
 public:
  std::string name() const override { return "im2col"; }
  std::string backend() const override { return "OpenBLAS"; }
  std::string version() const override { return openblas::version(); }

  std::optional<std::string> unsupported(const ConvProblem& p, const Resources& r) const override {
    if (std::max({p.K, p.P() * p.Q(), p.C * p.R * p.S}) > std::numeric_limits<blasint>::max()) {
      return "OpenBLAS takes matrices of up to 2^31 - 1 rows and columns: K, P*Q and C*R*S must not exceed them";
    }
    if (r.threads > 1 && openblas_get_parallel() != OPENBLAS_OPENMP) {
      return "this OpenBLAS brings its own threads: link its OpenMP build, or use one thread";
    }
    return std::nullopt;
  }

  std::unique_ptr<Prepared> prepare(const ConvProblem& p, const ConvTensors& t, const Resources& r) const override {
    return std::make_unique<PreparedIm2colConv>(p, t, r.threads);
  }
};

}  // namespace

std::unique_ptr<ConvContender> make_im2col_conv() { return std::make_unique<Im2colConv>(); }

}  // namespace brickwork
