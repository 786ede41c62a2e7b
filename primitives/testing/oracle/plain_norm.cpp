#include "primitives/testing/oracle/plain_norm.hpp"

#include <algorithm>
#include <cmath>

#include "primitives/testing/oracle/curves.hpp"

namespace brickwork::oracle {
namespace {

// The indices of a channel's values in src and in tensors of its shape.
std::vector<std::size_t> channel_of(const BatchNormProblem& p, std::int64_t c) {
  std::vector<std::size_t> places;
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t hw = 0; hw < p.H * p.W; ++hw) {
      places.push_back(static_cast<std::size_t>((n * p.C + c) * p.H * p.W + hw));
    }
  return places;
}

// The least f32 in the units of a channel's sums (batch_norm_rows.hpp).
constexpr double kLeastOff = 0x1p20 * kLeastF32;

Interval inverse_deviation(const Interval& variance) {
  const auto inverse = [](double v) { return 1 / std::sqrt(v + BatchNormProblem::epsilon); };
  if (!variance.is_number()) return variance;
  return rounded({inverse(variance.high), inverse(std::max(0.0, variance.low)), variance.nan}, 2);
}

struct Statistics {
  Interval mean, variance;
};

// A driver may sum up deviations from the mean of a few values, eight of a row or one. These may be larger than
// deviations from the mean of all, by the number of all values over that of the few.
Statistics statistics(const BatchNormProblem& p, const std::vector<std::size_t>& places, const float* src) {
  const auto values = static_cast<double>(places.size());
  const Interval share = Interval::of(1 / values);
  const double larger = 1 + values / static_cast<double>(std::min<std::int64_t>(8, p.W));
  double sum = 0;
  Sum all;
  for (const std::size_t i : places) {
    all.add(Interval::of(src[i]));
    sum += src[i];
  }
  if (!std::isfinite(sum)) return {{-kInf, kInf, true}, Interval::no_number()};
  const Interval mean =
      widened(share * all.value(), kHalfUlp * larger * (values + 2) * all.magnitude() / values + kLeastOff);
  double squares = 0;
  for (const std::size_t i : places) squares += (src[i] - sum / values) * (src[i] - sum / values);
  const double error = kHalfUlp * larger * (values + 8) * squares;
  if (larger * squares > kMostF32) return {mean, {0, kInf, true}};
  const Interval variance{std::max(0.0, squares - error) / values, (squares + error) / values + kLeastF32};
  return {mean, rounded(variance)};
}

class Normalised {
 public:
  Normalised(const BatchNormProblem& p, const PlainTensors& in, std::int64_t c, const Statistics& s)
      : p_(p),
        src_(in.at<float>("src")),
        residual_(in.at<float>("residual")),
        mean_(s.mean),
        scale_(Interval::of(in.at<float>("gamma")[c]) * inverse_deviation(s.variance)),
        beta_(Interval::of(in.at<float>("beta")[c])) {}

  Interval before_relu(std::size_t i) const {
    Sum sum;
    sum.add((Interval::of(src_[i]) - mean_) * scale_);
    sum.add(beta_);
    if (p_.residual()) sum.add(Interval::of(residual_[i]));
    return sum.value();
  }
  Interval operator()(std::size_t i) const { return p_.relu() ? relu(before_relu(i)) : before_relu(i); }

 private:
  const BatchNormProblem& p_;
  const float *src_, *residual_;
  Interval mean_, scale_, beta_;
};

Intervals of_all(const BatchNormProblem& p) { return Intervals(static_cast<std::size_t>(p.elements())); }

}  // namespace

Outcomes norm_forward(const BatchNormProblem& p, const PlainTensors& in) {
  Intervals dst = of_all(p), mean, variance;
  for (std::int64_t c = 0; c < p.C; ++c) {
    const auto places = channel_of(p, c);
    const Statistics s = statistics(p, places, in.at<float>("src"));
    mean.push_back(s.mean);
    variance.push_back(s.variance);
    const Normalised normalised(p, in, c, s);
    for (const std::size_t i : places) dst[i] = normalised(i);
  }
  return {{"dst", dst}, {"mean", mean}, {"variance", variance}};
}

Outcomes norm_inference(const BatchNormProblem& p, const PlainTensors& in) {
  Intervals dst = of_all(p);
  for (std::int64_t c = 0; c < p.C; ++c) {
    const Normalised normalised(p, in, c,
                                {Interval::of(in.at<float>("mean")[c]), Interval::of(in.at<float>("variance")[c])});
    for (const std::size_t i : channel_of(p, c)) dst[i] = normalised(i);
  }
  return {{"dst", dst}};
}

Outcomes norm_backward(const BatchNormProblem& p, const PlainTensors& in) {
  const float *src = in.at<float>("src"), *ddst = in.at<float>("ddst");
  Intervals dsrc = of_all(p), dresidual = of_all(p), dgamma, dbeta;
  for (std::int64_t c = 0; c < p.C; ++c) {
    const auto places = channel_of(p, c);
    const Statistics s = statistics(p, places, src);
    const Normalised normalised(p, in, c, s);
    const Interval inverse = inverse_deviation(s.variance), gamma = Interval::of(in.at<float>("gamma")[c]);
    const auto deviation = [&](std::size_t i) { return widened(Interval::of(src[i]) - s.mean, kLeastOff); };
    // Forward's mask says whether an element is above 0, which NaN is not.
    const auto d = [&](std::size_t i) {
      const Interval x = p.relu() ? normalised.before_relu(i) : Interval::of(1), passed = Interval::of(ddst[i]);
      if (!x.is_number() || x.high <= 0) return Interval::of(0);
      return x.low > 0 && !x.nan ? passed : either(passed, Interval::of(0));
    };
    Sum sum_d, sum_dx;
    for (const std::size_t i : places) {
      sum_d.add(d(i));
      sum_dx.add_product(d(i), deviation(i));
    }
    const Interval dx = widened(sum_dx.value(), kLeastOff * static_cast<double>(p.values()));
    dbeta.push_back(sum_d.value());
    dgamma.push_back(dx * inverse);
    const Interval share = Interval::of(1 / static_cast<double>(p.values()));
    const Interval slope = share * (dx * (inverse * inverse)), offset = share * sum_d.value();
    for (const std::size_t i : places) {
      Sum sum;
      sum.add(d(i));
      sum.add_product(-deviation(i), slope);
      sum.add(-offset);
      dsrc[i] = sum.value(2) * (gamma * inverse);
      dresidual[i] = d(i);
    }
  }
  Outcomes outcomes{{"dsrc", dsrc}, {"dgamma", dgamma}, {"dbeta", dbeta}};
  if (p.residual()) outcomes.push_back({"dresidual", dresidual});
  return outcomes;
}

}  // namespace brickwork::oracle
