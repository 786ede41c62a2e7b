#include "primitives/testing/oracle/plain_pool.hpp"

#include <cmath>

namespace brickwork::oracle {
namespace {

// A window's pixels, as indices in the image, in the order of its taps.
std::vector<std::int64_t> window_at(const PoolProblem& p, std::int64_t i, std::int64_t j) {
  std::vector<std::int64_t> pixels;
  for (std::int64_t r = 0; r < p.R; ++r)
    for (std::int64_t s = 0; s < p.S; ++s) {
      const std::int64_t h = i * p.stride_h + r - p.pad_h, w = j * p.stride_w + s - p.pad_w;
      if (h >= 0 && h < p.H && w >= 0 && w < p.W) pixels.push_back(h * p.W + w);
    }
  return pixels;
}

std::int64_t largest_of(const std::vector<std::int64_t>& pixels, const float* image) {
  std::int64_t largest = pixels.front();
  for (const std::int64_t pixel : pixels) {
    if (std::isnan(image[pixel]) || image[pixel] > image[largest]) largest = pixel;
  }
  return largest;
}

// The average may be a division or a product with 1 / taps; the factor may also be a product of 1 / R and 1 / S.
Interval averaged(const Interval& x, const PoolProblem& p, std::size_t pixels) {
  const double taps = p.kind == PoolKind::average ? static_cast<double>(pixels) : static_cast<double>(p.R * p.S);
  return rounded(x * Interval::of(1 / taps), 3);
}

}  // namespace

Outcomes pool_forward(const PoolProblem& p, const PlainTensors& in) {
  const float* image = in.at<float>("src");
  Intervals dst;
  for (std::int64_t nc = 0; nc < p.N * p.C; ++nc, image += p.H * p.W)
    for (std::int64_t i = 0; i < p.P(); ++i)
      for (std::int64_t j = 0; j < p.Q(); ++j) {
        const auto pixels = window_at(p, i, j);
        if (p.kind == PoolKind::max) {
          dst.push_back(Interval::of(image[largest_of(pixels, image)]));
          continue;
        }
        Sum sum;
        for (const std::int64_t pixel : pixels) sum.add(Interval::of(image[pixel]));
        dst.push_back(averaged(sum.value(), p, pixels.size()));
      }
  return {{"dst", dst}};
}

Outcomes pool_backward(const PoolProblem& p, const PlainTensors& in) {
  const float *image = in.at<float>("src"), *ddst = in.at<float>("ddst");
  Intervals dsrc;
  for (std::int64_t nc = 0; nc < p.N * p.C; ++nc) {
    std::vector<Sum> sums(static_cast<std::size_t>(p.H * p.W));
    for (std::int64_t i = 0; i < p.P(); ++i)
      for (std::int64_t j = 0; j < p.Q(); ++j, ++ddst) {
        const auto pixels = window_at(p, i, j);
        if (p.kind == PoolKind::max) {
          sums[static_cast<std::size_t>(largest_of(pixels, image))].add(Interval::of(*ddst));
          continue;
        }
        for (const std::int64_t pixel : pixels) {
          sums[static_cast<std::size_t>(pixel)].add(averaged(Interval::of(*ddst), p, pixels.size()));
        }
      }
    for (const Sum& sum : sums) dsrc.push_back(sum.value());
    if (p.kind == PoolKind::max) image += p.H * p.W;
  }
  return {{"dsrc", dsrc}};
}

}  // namespace brickwork::oracle
