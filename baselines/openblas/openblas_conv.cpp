#ifdef BRICKWORK_HAS_OPENBLAS
#include "baselines/openblas/openblas_conv.hpp"

#include <algorithm>

namespace brickwork::openblas {
namespace {

bool needs_no_columns(const ConvProblem& p) {
  return p.R == 1 && p.S == 1 && p.stride_h == 1 && p.stride_w == 1 && p.pad_h == 0 && p.pad_w == 0;
}

// Through filter column s, output columns below `left` see the left padding, those from `right` on the right padding.
struct Inside {
  std::int64_t left, right;
};
Inside inside(const ConvProblem& p, std::int64_t s) {
  const std::int64_t Q = p.Q(), first_w = s - p.pad_w;
  const auto columns_up_to = [&](std::int64_t w) {
    return std::clamp<std::int64_t>((w - first_w + p.stride_w - 1) / p.stride_w, 0, Q);
  };
  return {columns_up_to(0), columns_up_to(p.W)};
}

// Fills one row of the matrix: what tap (r, s) of a channel sees.
void fill_row(const ConvProblem& p, const float* channel, std::int64_t r, std::int64_t s, float* row) {
  const std::int64_t P = p.P(), Q = p.Q();
  const auto [left, right] = inside(p, s);
  for (std::int64_t out_h = 0; out_h < P; ++out_h, row += Q) {
    const std::int64_t h = out_h * p.stride_h + r - p.pad_h;
    if (h < 0 || h >= p.H) {
      std::fill_n(row, Q, 0.0f);
      continue;
    }
    const float* from = channel + h * p.W + s - p.pad_w;
    std::fill_n(row, left, 0.0f);
    if (p.stride_w == 1) {
      std::copy(from + left, from + right, row + left);
    } else {
      for (std::int64_t q = left; q < right; ++q) row[q] = from[q * p.stride_w];
    }
    std::fill(row + right, row + Q, 0.0f);
  }
}

// The reverse: adds the row to the pixels that the tap sees.
void add_row(const ConvProblem& p, const float* row, std::int64_t r, std::int64_t s, float* channel) {
  const std::int64_t P = p.P(), Q = p.Q();
  const auto [left, right] = inside(p, s);
  for (std::int64_t out_h = 0; out_h < P; ++out_h, row += Q) {
    const std::int64_t h = out_h * p.stride_h + r - p.pad_h;
    if (h < 0 || h >= p.H) continue;
    float* to = channel + h * p.W + s - p.pad_w;
    if (p.stride_w == 1) {
      for (std::int64_t q = left; q < right; ++q) to[q] += row[q];
    } else {
      for (std::int64_t q = left; q < right; ++q) to[q * p.stride_w] += row[q];
    }
  }
}

}  // namespace

std::optional<std::string> unsupported_conv(const ConvProblem& p, const Resources& r) {
  return unsupported({p.K, p.P() * p.Q(), p.C * p.R * p.S}, "K, P*Q and C*R*S", r.threads);
}

ImageColumns::ImageColumns(const ConvProblem& p, int threads)
    : problem_(p), threads_(threads), matrix_(needs_no_columns(p) ? 0 : rows() * pixels()) {}

const float* ImageColumns::fill(const float* image) {
  if (is_image()) return image;
  const ConvProblem& p = problem_;
#pragma omp parallel for num_threads(threads_) collapse(3)
  for (std::int64_t c = 0; c < p.C; ++c) {
    for (std::int64_t r = 0; r < p.R; ++r) {
      for (std::int64_t s = 0; s < p.S; ++s) {
        fill_row(p, image + c * p.H * p.W, r, s, matrix_.data() + ((c * p.R + r) * p.S + s) * pixels());
      }
    }
  }
  return matrix_.data();
}

void ImageColumns::add_up(float* image) const {
  if (is_image()) return;
  const ConvProblem& p = problem_;
#pragma omp parallel for num_threads(threads_)
  for (std::int64_t c = 0; c < p.C; ++c) {
    float* channel = image + c * p.H * p.W;
    std::fill_n(channel, p.H * p.W, 0.0f);
    for (std::int64_t r = 0; r < p.R; ++r) {
      for (std::int64_t s = 0; s < p.S; ++s) {
        add_row(p, matrix_.data() + ((c * p.R + r) * p.S + s) * pixels(), r, s, channel);
      }
    }
  }
}

}  // namespace brickwork::openblas
#endif
