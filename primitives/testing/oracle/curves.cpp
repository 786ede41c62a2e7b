#include "primitives/testing/oracle/curves.hpp"

#include <algorithm>
#include <cmath>

namespace brickwork::oracle {
namespace {

constexpr double kCurve = 6e-7;

Interval of_curve(const Interval& x) {
  if (!x.is_number()) return x;
  const auto error = [](double end) { return std::isinf(end) ? 0 : kCurve * std::max(1.0, std::fabs(end)); };
  return {x.low - error(x.low), x.high + error(x.high), x.nan};
}

const double kGeluFactor = std::sqrt(2 / std::acos(-1.0));

double gelu_tangent(double x) { return std::tanh(kGeluFactor * (x + 0.044715 * x * x * x)); }

double gelu_at(double x) {
  if (x == -kInf) return 0;
  return x / 2 * (1 + gelu_tangent(x));
}

// The minimum of gelu.
constexpr double kLeastGeluAt = -0.7524614, kLeastGelu = -0.17004078;

double gelu_slope(double x) {
  if (std::fabs(x) > 20) return x > 0 ? 1 : 0;
  const double t = gelu_tangent(x);
  return (1 + t) / 2 + x / 2 * (1 - t * t) * kGeluFactor * (1 + 3 * 0.044715 * x * x);
}

}  // namespace

Interval relu(const Interval& x) {
  return rising([](double v) { return v < 0 ? 0 : v; }, x);
}

Interval sigmoid(const Interval& x) {
  return of_curve(rising([](double v) { return 1 / (1 + std::exp(-v)); }, x));
}

Interval hyperbolic_tangent(const Interval& x) {
  return of_curve(rising([](double v) { return std::tanh(v); }, x));
}

Interval gelu(const Interval& x) {
  if (!x.is_number()) return x;
  Interval y{std::min(gelu_at(x.low), gelu_at(x.high)), std::max(gelu_at(x.low), gelu_at(x.high)),
             x.nan || x.low == -kInf};
  if (x.low < kLeastGeluAt && kLeastGeluAt < x.high) y.low = kLeastGelu;
  return of_curve(y);
}

// If y - y^2 and 1 - y^2 are multiplied out, the rounding of y^2 adds to the error.
Interval sigmoid_slope(const Interval& y) {
  const Interval square = y * y, slope = y * (Interval::of(1) - y);
  return square.is_number() && std::isfinite(square.high) ? widened(slope, kHalfUlp * square.high) : slope;
}

Interval tangent_slope(const Interval& y) { return Interval::of(1) - y * y; }

Interval last_step(const Epilogue& e, const Interval& sum, float at) {
  const Interval y = Interval::of(at);
  switch (e.activation) {
    case Activation::relu:
      return !e.derivative ? relu(sum) : at <= 0 ? Interval::of(0) : sum;
    case Activation::sigmoid:
      return e.derivative ? sum * sigmoid_slope(y) : sigmoid(sum);
    case Activation::tanh:
      return e.derivative ? sum * tangent_slope(y) : hyperbolic_tangent(sum);
    case Activation::gelu:
      if (!e.derivative) return gelu(sum);
      return std::isnan(at) ? Interval::no_number() : sum * of_curve(Interval::of(gelu_slope(at)));
    case Activation::none:
      break;
  }
  return sum;
}

}  // namespace brickwork::oracle
