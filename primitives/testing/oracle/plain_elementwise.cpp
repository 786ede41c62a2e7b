#include "primitives/testing/oracle/plain_elementwise.hpp"

#include <algorithm>
#include <cmath>

namespace brickwork::oracle {
namespace {

constexpr double kVanished = -80;

// e^x: `high` is the most and `low` the least that f32 may give.
Interval exponential(const Interval& x) {
  if (!x.is_number()) return x;
  const auto error = [](double at) { return 4e-7 + 2e-7 * std::min(std::fabs(at), -kVanished); };
  const double low = x.low < kVanished ? 0 : std::exp(x.low) * (1 - error(x.low));
  const double high = std::exp(std::max(x.high, kVanished)) * (1 + error(x.high));
  return {low, high, x.nan};
}

}  // namespace

Intervals softmax(const Intervals& scores) {
  Intervals weights;
  const bool surely_nan = std::ranges::any_of(scores, [](const Interval& s) { return !s.is_number(); });
  const bool infinite = std::ranges::any_of(scores, [](const Interval& s) { return s.low == kInf; }) ||
                        std::ranges::all_of(scores, [](const Interval& s) { return s.high == -kInf; });
  if (surely_nan || infinite) return Intervals(scores.size(), Interval::no_number());
  const bool nan = std::ranges::any_of(scores, [](const Interval& s) { return s.nan || s.high == kInf; }) ||
                   std::ranges::all_of(scores, [](const Interval& s) { return s.low == -kInf; });
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double least = 1, most = 1;  // bounds of the sum of e^(score - this one); its own term is 1
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (i == j) continue;
      const auto difference = [](double a, double b) { return a == b ? 0 : a - b; };
      const Interval e =
          exponential({difference(scores[j].low, scores[i].high), difference(scores[j].high, scores[i].low)});
      least += e.low;
      most += e.high;
    }
    const double slack = 1e-6 + kHalfUlp * static_cast<double>(scores.size());
    // The weight of a score far below the largest one vanishes: the stored value is 0, or less than 2e-38 off.
    const double low = most > std::exp(-kVanished) ? 0 : (1 - slack) / most;
    weights.push_back({low, std::min(1.0, 1 / least) * (1 + slack) + std::exp(kVanished), nan});
    if (scores[i].high == -kInf) weights.back() = {0, 0, nan};
  }
  return weights;
}

Outcomes add_forward(const AddProblem& p, const PlainTensors& in) {
  const float *a = in.at<float>("a"), *b = in.at<float>("b");
  Intervals dst;
  for (std::int64_t i = 0; i < p.elements(); ++i) {
    const float sum = a[i] + b[i];
    dst.push_back(Interval::of(p.relu && sum < 0 ? 0 : sum));
  }
  return {{"dst", dst}};
}

Outcomes add_backward(const AddProblem& p, const PlainTensors& in) {
  const float *dst = in.at<float>("dst"), *ddst = in.at<float>("ddst");
  Intervals dsrc;
  for (std::int64_t i = 0; i < p.elements(); ++i) dsrc.push_back(Interval::of(dst[i] <= 0 ? 0 : ddst[i]));
  return {{"dsrc", dsrc}};
}

Outcomes sgd_update(const SgdProblem& p, const SgdStep& step, const PlainTensors& in) {
  const float *weights = in.at<float>("weights"), *velocity = in.at<float>("velocity"),
              *gradient = in.at<float>("gradient");
  Intervals new_weights, new_velocity;
  for (std::int64_t i = 0; i < p.P; ++i) {
    Sum v, w;
    v.add_product(step.momentum, velocity[i]);
    v.add(Interval::of(gradient[i]));
    v.add_product(step.decay, weights[i]);
    new_velocity.push_back(v.value(2));
    w.add(Interval::of(weights[i]));
    w.add_product(Interval::of(-step.rate), new_velocity.back());
    new_weights.push_back(w.value(1));
  }
  return {{"new_weights", new_weights}, {"new_velocity", new_velocity}};
}

Outcomes softmax_loss(const SoftmaxLossProblem& p, const PlainTensors& in) {
  const float* logits = in.at<float>("logits");
  Sum losses;
  for (std::int64_t n = 0; n < p.N; ++n) {
    const float *const row = logits + n * p.C, label = row[in.at<std::int32_t>("labels")[n]];
    const double most = *std::max_element(row, row + p.C);
    double sum = 0;
    for (std::int64_t c = 0; c < p.C; ++c) sum += std::exp(row[c] - most);
    const double error = 1e-6 + kHalfUlp * static_cast<double>(p.C), loss = std::log(sum) + most - label;
    losses.add(
        widened(Interval::of(loss), std::isinf(loss) ? 0 : error + 1e-15 * (std::fabs(most) + std::fabs(label))));
  }
  return {{"loss", {Interval::of(1 / static_cast<double>(p.N)) * losses.value()}}};
}

Outcomes softmax_gradient(const SoftmaxLossProblem& p, const PlainTensors& in) {
  const float* logits = in.at<float>("logits");
  Intervals dlogits;
  for (std::int64_t n = 0; n < p.N; ++n) {
    Intervals row;
    for (std::int64_t c = 0; c < p.C; ++c) row.push_back(Interval::of(logits[n * p.C + c]));
    row = softmax(row);
    row[static_cast<std::size_t>(in.at<std::int32_t>("labels")[n])] =
        row[static_cast<std::size_t>(in.at<std::int32_t>("labels")[n])] - Interval::of(1);
    for (const Interval& x : row) dlogits.push_back(rounded(x * Interval::of(1 / static_cast<double>(p.N)), 2));
  }
  return {{"dlogits", dlogits}};
}

}  // namespace brickwork::oracle
