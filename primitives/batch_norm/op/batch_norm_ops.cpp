#include "primitives/batch_norm/op/batch_norm_ops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "primitives/op/on_threads.hpp"

namespace brickwork {
namespace {

TensorInfo norm_images(const BatchNormProblem& p, std::string name, bool there = true) {
  return {.name = std::move(name), .dims = dims_if(there, {p.N, p.C, p.H, p.W}), .per_image = true};
}

TensorInfo norm_channels(const BatchNormProblem& p, std::string name) {
  return {.name = std::move(name), .dims = {p.C}};
}

// The error of sums that some libraries add up value by value in f32. A partial sum grows at least with the square root
// of the number of values, and the sum of its rounding errors grows by as much again. oneDNN 3.2 is off by 0.6 epsilon
// per value in the worst of 512 channels (AVX2).
TensorInfo norm_sums(const BatchNormProblem& p, std::string name) {
  TensorInfo sums = norm_channels(p, std::move(name));
  sums.error = 4 * std::numeric_limits<float>::epsilon() * static_cast<double>(p.values());
  return sums;
}

// The bytes of `tensors` tensors and, with a ReLU, of `masks` masks of one bit per element.
double norm_sweeps(const BatchNormProblem& p, int tensors, int masks) {
  return (static_cast<double>(sizeof(float)) * tensors + (p.relu() ? masks / 8.0 : 0)) *
         static_cast<double>(p.elements());
}

// value(i) for the index i of every value of a channel.
template <class Value>
void for_each_value(const BatchNormProblem& p, std::int64_t c, const Value& value) {
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t hw = 0; hw < p.H * p.W; ++hw) value((n * p.C + c) * p.H * p.W + hw);
}

struct Statistics {
  double mean = 0, variance = 0;
  double inverse() const { return 1 / std::sqrt(variance + BatchNormProblem::epsilon); }
};

Statistics statistics_of(const BatchNormProblem& p, std::int64_t c, const double* src) {
  Statistics s;
  for_each_value(p, c, [&](std::int64_t i) { s.mean += src[i]; });
  s.mean /= static_cast<double>(p.values());
  for_each_value(p, c, [&](std::int64_t i) { s.variance += (src[i] - s.mean) * (src[i] - s.mean); });
  s.variance /= static_cast<double>(p.values());
  return s;
}

// An element before the ReLU.
class Normalised {
 public:
  Normalised(const PlainTensors& in, std::int64_t c, const Statistics& s)
      : src_(in.at<double>("src")),
        residual_(in.at<double>("residual")),
        mean_(s.mean),
        scale_(in.at<double>("gamma")[c] * s.inverse()),
        beta_(in.at<double>("beta")[c]) {}
  double operator()(std::int64_t i) const {
    const double x = (src_[i] - mean_) * scale_ + beta_;
    return residual_ == nullptr ? x : x + residual_[i];
  }

 private:
  const double *src_, *residual_;
  double mean_, scale_, beta_;
};

void normalise_channel(const BatchNormProblem& p, std::int64_t c, const Statistics& s, const PlainTensors& in,
                       double* dst) {
  const Normalised normalised(in, c, s);
  for_each_value(p, c, [&](std::int64_t i) {
    const double x = normalised(i);
    dst[i] = p.relu() && x < 0 ? 0 : x;
  });
}

}  // namespace

// For outputs around 1. The errors of the statistics grow with the square root of the number of values. A few random
// values may be so close together that 1 / sqrt(variance + epsilon) makes rounding errors as large as epsilon allows.
double BatchNormOp::bound(const BatchNormProblem& p) {
  const double values = static_cast<double>(p.values());
  const double growth = values < 16 ? 1 / BatchNormProblem::epsilon : 1 / std::sqrt(BatchNormProblem::epsilon);
  return std::numeric_limits<float>::epsilon() * (growth / 4 + 16 * std::sqrt(values));
}

std::vector<TensorInfo> BatchNormForwardOp::inputs(const Problem& p) {
  return {norm_images(p, "src"), norm_channels(p, "gamma"), norm_channels(p, "beta"),
          norm_images(p, "residual", p.residual())};
}

std::vector<TensorInfo> BatchNormForwardOp::outputs(const Problem& p) {
  return {norm_images(p, "dst"), norm_channels(p, "mean"), norm_channels(p, "variance")};
}

double BatchNormForwardOp::bytes(const Problem& p) { return norm_sweeps(p, 3 + (p.residual() ? 1 : 0), 1); }

void BatchNormForwardOp::reference(const Problem& p, const PlainTensors& in, PlainTensors& out) {
  const double* src = in.at<double>("src");
  double *dst = out.at<double>("dst"), *mean = out.at<double>("mean"), *variance = out.at<double>("variance");
  on_threads(p.C, [&](std::int64_t c) {
    const Statistics s = statistics_of(p, c, src);
    mean[c] = s.mean;
    variance[c] = s.variance;
    normalise_channel(p, c, s, in, dst);
  });
}

std::vector<TensorInfo> BatchNormInferenceOp::inputs(const Problem& p) {
  return {norm_images(p, "src"),    norm_channels(p, "gamma"),    norm_channels(p, "beta"),
          norm_channels(p, "mean"), norm_channels(p, "variance"), norm_images(p, "residual", p.residual())};
}

std::vector<TensorInfo> BatchNormInferenceOp::outputs(const Problem& p) { return {norm_images(p, "dst")}; }

double BatchNormInferenceOp::bytes(const Problem& p) { return norm_sweeps(p, 2 + (p.residual() ? 1 : 0), 0); }

// A few operations on values below 8, because no variance is below 1/4.
double BatchNormInferenceOp::bound(const Problem&) { return 32 * std::numeric_limits<float>::epsilon(); }

void BatchNormInferenceOp::settle(const Problem& p, PlainTensors& in) {
  double* variance = in.at<double>("variance");
  std::transform(variance, variance + p.C, variance, [](double x) { return 0.25 + std::abs(x) / 2; });
}

void BatchNormInferenceOp::reference(const Problem& p, const PlainTensors& in, PlainTensors& out) {
  const double *mean = in.at<double>("mean"), *variance = in.at<double>("variance");
  double* dst = out.at<double>("dst");
  on_threads(p.C, [&](std::int64_t c) { normalise_channel(p, c, {mean[c], variance[c]}, in, dst); });
}

std::vector<TensorInfo> BatchNormBackwardOp::inputs(const Problem& p) {
  auto tensors = BatchNormForwardOp::inputs(p);
  tensors.push_back(norm_images(p, "ddst"));
  return tensors;
}

std::vector<TensorInfo> BatchNormBackwardOp::outputs(const Problem& p) {
  return {norm_images(p, "dsrc"), norm_sums(p, "dgamma"), norm_sums(p, "dbeta"),
          norm_images(p, "dresidual", p.residual())};
}

double BatchNormBackwardOp::bytes(const Problem& p) { return norm_sweeps(p, 5 + (p.residual() ? 1 : 0), 2); }

void BatchNormBackwardOp::settle(const Problem& p, PlainTensors& in) {
  constexpr double kClose = 1e-3;
  if (!p.relu()) return;
  const PlainTensors& values = in;
  double* ddst = in.at<double>("ddst");
  on_threads(p.C, [&](std::int64_t c) {
    const Normalised normalised(values, c, statistics_of(p, c, values.at<double>("src")));
    for_each_value(p, c, [&](std::int64_t i) {
      if (std::abs(normalised(i)) < kClose) ddst[i] = 0;
    });
  });
}

void BatchNormBackwardOp::reference(const Problem& p, const PlainTensors& in, PlainTensors& out) {
  const double *src = in.at<double>("src"), *gamma = in.at<double>("gamma"), *ddst = in.at<double>("ddst");
  double *dsrc = out.at<double>("dsrc"), *dresidual = out.at<double>("dresidual");
  double *dgamma = out.at<double>("dgamma"), *dbeta = out.at<double>("dbeta");
  on_threads(p.C, [&](std::int64_t c) {
    const Statistics s = statistics_of(p, c, src);
    const Normalised normalised(in, c, s);
    const auto x = [&](std::int64_t i) { return (src[i] - s.mean) * s.inverse(); };
    const auto d = [&](std::int64_t i) { return p.relu() && !(normalised(i) > 0) ? 0 : ddst[i]; };
    dgamma[c] = dbeta[c] = 0;
    for_each_value(p, c, [&](std::int64_t i) {
      dbeta[c] += d(i);
      dgamma[c] += d(i) * x(i);
    });
    for_each_value(p, c, [&](std::int64_t i) {
      const double share = (dbeta[c] + x(i) * dgamma[c]) / static_cast<double>(p.values());
      dsrc[i] = gamma[c] * s.inverse() * (d(i) - share);
      if (dresidual != nullptr) dresidual[i] = d(i);
    });
  });
}

}  // namespace brickwork
