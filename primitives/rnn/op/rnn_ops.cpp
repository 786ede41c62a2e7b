#include "primitives/rnn/op/rnn_ops.hpp"

#include <fmt/format.h>

#include <cmath>

#include "primitives/op/rounding.hpp"
#include "primitives/op/test_data.hpp"
#include "primitives/rnn/op/rnn_definition.hpp"

namespace brickwork {
namespace {

using Infos = std::vector<TensorInfo>;

// The second dimension is the sequence; the third has C or D * K features.
TensorInfo over_time(const RnnProblem& p, std::string name, std::int64_t features) {
  return {.name = std::move(name), .dims = {p.T, p.N, features}, .per_image = true};
}

TensorInfo states(const RnnProblem& p, std::string name, bool there = true) {
  return {.name = std::move(name), .dims = dims_if(there, {p.L * p.D(), p.N, p.K}), .per_image = true};
}

void append(Infos& to, Infos from) { to.insert(to.end(), from.begin(), from.end()); }

bool has_kink(const RnnProblem& p) { return p.cell == RnnCell::rnn_relu; }

// Repeated sequences, and steps after a sequence's end, do not count as values.
Infos allow_for_few(const RnnProblem& p, Infos outputs, double bound) {
  for (TensorInfo& info : outputs) {
    std::int64_t values = info.size();
    if (values > 0 && info.per_image)
      values = values / p.N * std::min(p.N, kDistinctImages) / (p.unequal() ? info.dims[0] : 1);
    allow_for_few(info, values, bound);
  }
  return outputs;
}

}  // namespace

namespace rnn_ops {

Infos weights(const RnnProblem& p) {
  Infos infos;
  for (std::int64_t l = 0; l < p.L; ++l) {
    infos.push_back({.name = fmt::format("weights_layer.{}", l), .dims = {p.D(), p.features(l), p.gates(), p.K}});
    infos.push_back({.name = fmt::format("weights_iter.{}", l), .dims = {p.D(), p.K, p.gates(), p.K}});
    infos.push_back({.name = fmt::format("bias.{}", l), .dims = {p.D(), p.biases(), p.K}});
  }
  return infos;
}

Infos sources(const RnnProblem& p) {
  Infos infos{over_time(p, "x", p.C), states(p, "h0"), states(p, "c0", p.has_c()), lengths_of(p)};
  append(infos, weights(p));
  return infos;
}

Infos results(const RnnProblem& p) {
  return allow_for_few(p, {over_time(p, "y", p.D() * p.K), states(p, "hT"), states(p, "cT", p.has_c())},
                       forward_bound(p));
}

Infos gradients(const RnnProblem& p) {
  return {over_time(p, "dy", p.D() * p.K), states(p, "dhT"), states(p, "dcT", p.has_c())};
}

Infos data_gradients(const RnnProblem& p) {
  return allow_for_few(p, {over_time(p, "dx", p.C), states(p, "dh0"), states(p, "dc0", p.has_c())}, backward_bound(p));
}

Infos weight_gradients(const RnnProblem& p) {
  Infos infos = weights(p);
  for (TensorInfo& info : infos) info.name += ".gradient";
  return allow_for_few(p, std::move(infos), backward_bound(p));
}

void settle_weights(const Infos& weights, PlainTensors& in) {
  for (const TensorInfo& info : weights) {
    // The variance of a layer's weights becomes 1 / C_l. That of the recurrence's becomes 1 / (3 K), as they are
    // applied again at each step.
    const bool bias = info.name.find("bias") != info.name.npos, layer = info.name.find("_layer") != info.name.npos;
    const double scale = bias ? 0.5 : std::sqrt((layer ? 3.0 : 1.0) / static_cast<double>(info.dims[1]));
    for (double& x : in.values<double>(info.name)) x *= scale;
  }
}

Rereads rereads(const RnnProblem& p) {
  if (p.L > 1 || p.D() > 1) return {};
  const double weights = static_cast<double>(p.K) * static_cast<double>(p.gates()) * static_cast<double>(p.K);
  return {.bytes = sizeof(float) * weights, .times = p.T - 1};
}

// A step forgets most of the errors of the steps before, so that errors add up over layers only.
double forward_bound(const RnnProblem& p) {
  return static_cast<double>(p.L) * rounding(static_cast<double>(RnnOp::terms(p)));
}

// Gradients of weights are sums over steps and sequences.
double backward_bound(const RnnProblem& p) {
  const double steps = static_cast<double>(p.T) * static_cast<double>(p.N);
  const double sums = 2 * forward_bound(p) + rounding(steps);
  return has_kink(p) ? sums + kink(forward_bound(p)) : sums;
}

}  // namespace rnn_ops

void RnnForwardOp::reference(const Problem& p, const PlainTensors& in, PlainTensors& out) {
  define_rnn(p, in, out, false);
}

Infos RnnBackwardOp::inputs(const Problem& p) {
  Infos infos = rnn_ops::sources(p);
  append(infos, rnn_ops::gradients(p));
  return infos;
}

Infos RnnBackwardOp::outputs(const Problem& p) {
  Infos infos = rnn_ops::data_gradients(p);
  append(infos, rnn_ops::weight_gradients(p));
  return infos;
}

void RnnBackwardOp::reference(const Problem& p, const PlainTensors& in, PlainTensors& out) {
  PlainTensors all(with_dtype(RnnBackwardOp::outputs(p), DType::f64));
  define_rnn(p, in, all, true);
  for (const TensorInfo& info : out.infos()) {
    std::ranges::copy(all.values<double>(info.name), out.at<double>(info.name));
  }
}

}  // namespace brickwork
