#include "primitives/pool/op/pool_ops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "primitives/op/on_threads.hpp"

namespace brickwork {
namespace {

constexpr double kPoolRounding = std::numeric_limits<float>::epsilon();

// pixel(index in its plane) for each pixel of the image in window (row, column), in the order of the taps.
template <class Pixel>
void for_each_pixel(const PoolProblem& p, std::int64_t row, std::int64_t column, const Pixel& pixel) {
  for (std::int64_t r = 0; r < p.R; ++r)
    for (std::int64_t s = 0; s < p.S; ++s) {
      const std::int64_t h = row * p.stride_h + r - p.pad_h, w = column * p.stride_w + s - p.pad_w;
      if (h >= 0 && h < p.H && w >= 0 && w < p.W) pixel(h * p.W + w);
    }
}

// The first of the largest values. NaN is larger than all; of several NaN the last one.
std::int64_t largest_pixel(const PoolProblem& p, std::int64_t row, std::int64_t column, const double* plane) {
  std::int64_t largest = -1;
  for_each_pixel(p, row, column, [&](std::int64_t i) {
    const bool is_first = largest < 0;
    if (is_first || plane[i] > plane[largest] || std::isnan(plane[i])) largest = i;
  });
  return largest;
}

double averaged_over(const PoolProblem& p, std::int64_t row, std::int64_t column) {
  if (p.kind == PoolKind::average_padded) return static_cast<double>(p.R * p.S);
  double pixels = 0;
  for_each_pixel(p, row, column, [&](std::int64_t) { ++pixels; });
  return pixels;
}

}  // namespace

double PoolOp::flops(const PoolProblem& p) {
  return static_cast<double>(p.N * p.C) * static_cast<double>(p.P() * p.Q()) * static_cast<double>(p.R * p.S);
}

double PoolOp::bytes(const PoolProblem& p) {
  const double bytes_of_output = sizeof(float) + static_cast<double>(p.kind == PoolKind::max ? p.index_bytes() : 0);
  return static_cast<double>(p.N * p.C) *
         (sizeof(float) * static_cast<double>(p.H * p.W) + bytes_of_output * static_cast<double>(p.P() * p.Q()));
}

std::vector<TensorInfo> PoolForwardOp::inputs(const PoolProblem& p) {
  return {{.name = "src", .dims = {p.N, p.C, p.H, p.W}, .per_image = true}};
}

std::vector<TensorInfo> PoolForwardOp::outputs(const PoolProblem& p) {
  return {{.name = "dst", .dims = {p.N, p.C, p.P(), p.Q()}, .per_image = true}};
}

double PoolForwardOp::bound(const PoolProblem& p) {
  return p.kind == PoolKind::max ? 0 : kPoolRounding * static_cast<double>(p.R * p.S + 2);
}

void PoolForwardOp::reference(const PoolProblem& p, const PlainTensors& in, PlainTensors& out) {
  const double* src = in.at<double>("src");
  double* dst = out.at<double>("dst");
  on_threads(p.N * p.C, [&](std::int64_t nc) {
    const double* plane = src + nc * p.H * p.W;
    for (std::int64_t row = 0; row < p.P(); ++row)
      for (std::int64_t column = 0; column < p.Q(); ++column) {
        double& result = dst[(nc * p.P() + row) * p.Q() + column];
        if (p.kind == PoolKind::max) {
          result = plane[largest_pixel(p, row, column, plane)];
          continue;
        }
        result = 0;
        for_each_pixel(p, row, column, [&](std::int64_t i) { result += plane[i]; });
        result /= averaged_over(p, row, column);
      }
  });
}

std::vector<TensorInfo> PoolBackwardOp::inputs(const PoolProblem& p) {
  return {{.name = "src", .dims = dims_if(p.kind == PoolKind::max, {p.N, p.C, p.H, p.W}), .per_image = true},
          {.name = "ddst", .dims = {p.N, p.C, p.P(), p.Q()}, .per_image = true}};
}

std::vector<TensorInfo> PoolBackwardOp::outputs(const PoolProblem& p) {
  return {{.name = "dsrc", .dims = {p.N, p.C, p.H, p.W}, .per_image = true}};
}

double PoolBackwardOp::bound(const PoolProblem& p) {
  const std::int64_t windows = ((p.R - 1) / p.stride_h + 1) * ((p.S - 1) / p.stride_w + 1);  // of a pixel, at most
  return kPoolRounding * static_cast<double>(windows + 2);
}

void PoolBackwardOp::reference(const PoolProblem& p, const PlainTensors& in, PlainTensors& out) {
  const double *src = in.at<double>("src"), *ddst = in.at<double>("ddst");
  double* dsrc = out.at<double>("dsrc");
  on_threads(p.N * p.C, [&](std::int64_t nc) {
    double* plane = dsrc + nc * p.H * p.W;
    std::fill_n(plane, p.H * p.W, 0.0);
    for (std::int64_t row = 0; row < p.P(); ++row)
      for (std::int64_t column = 0; column < p.Q(); ++column) {
        const double gradient = ddst[(nc * p.P() + row) * p.Q() + column];
        if (p.kind == PoolKind::max) {
          plane[largest_pixel(p, row, column, src + nc * p.H * p.W)] += gradient;
          continue;
        }
        const double share = gradient / averaged_over(p, row, column);
        for_each_pixel(p, row, column, [&](std::int64_t i) { plane[i] += share; });
      }
  });
}

}  // namespace brickwork
