#include "primitives/testing/oracle/interval.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace brickwork::oracle {
namespace {

// A value outside f32 becomes infinite, or may become so.
Interval in_f32(Interval x) {
  if (x.low < -kMostF32) x.low = -kInf;
  if (x.high > kMostF32) x.high = kInf;
  return x;
}

// Before any rounding. Zero times infinity is NaN; zero times an interval with an infinite end counts as zero, and may
// be NaN.
Interval exact_product(const Interval& a, const Interval& b) {
  if (!a.is_number() || !b.is_number()) return Interval::no_number();
  const auto has_zero = [](const Interval& x) { return x.low <= 0 && x.high >= 0; };
  const auto has_infinity = [](const Interval& x) { return std::isinf(x.low) || std::isinf(x.high); };
  Interval product = Interval::no_number();
  product.nan = a.nan || b.nan || (has_zero(a) && has_infinity(b)) || (has_zero(b) && has_infinity(a));
  for (const double x : {a.low, a.high})
    for (const double y : {b.low, b.high}) {
      const double xy = x * y;
      if (std::isnan(xy)) continue;
      product.low = std::min(product.low, xy);
      product.high = std::max(product.high, xy);
    }
  const auto is_infinite = [](const Interval& x) { return x.low == x.high && std::isinf(x.low); };
  if ((has_zero(a) && !is_infinite(b)) || (has_zero(b) && !is_infinite(a))) {
    product.low = std::min(product.low, 0.0);
    product.high = std::max(product.high, 0.0);
  }
  return product;
}

}  // namespace

void Infinities::add(const Interval& term) {
  surely_nan |= !term.is_number();
  plus |= term.low == kInf;
  minus |= term.high == -kInf;
  may_be_plus |= term.high == kInf;
  may_be_minus |= term.low == -kInf;
}

Interval Infinities::among(const Interval& sum) const {
  if (surely_nan || (plus && minus)) return Interval::no_number();
  Interval x{may_be_minus ? -kInf : sum.low, may_be_plus ? kInf : sum.high, sum.nan || (may_be_plus && may_be_minus)};
  if (plus) x.low = x.high = kInf;
  if (minus) x.low = x.high = -kInf;
  return x;
}

std::string to_string(const Interval& x) {
  const std::string number =
      x.low == x.high ? fmt::format("{:.9g}", x.low) : fmt::format("{:.9g} to {:.9g}", x.low, x.high);
  if (!x.nan) return number;
  return x.is_number() ? number + " or nan" : "nan";
}

Interval either(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.nan || b.nan};
}

Interval widened(const Interval& x, double by) { return x.is_number() ? in_f32({x.low - by, x.high + by, x.nan}) : x; }

Interval rounded(const Interval& x, double times) {
  if (!x.is_number()) return x;
  const auto slack = [&](double end) {
    return end == 0 || std::isinf(end) ? 0 : times * (kHalfUlp * std::fabs(end) + kLeastF32);
  };
  return in_f32({x.low - slack(x.low), x.high + slack(x.high), x.nan});
}

Interval operator-(const Interval& x) { return {-x.high, -x.low, x.nan}; }

Interval operator+(const Interval& a, const Interval& b) {
  Infinities infinities;
  infinities.add(a);
  infinities.add(b);
  return infinities.among(rounded({a.low + b.low, a.high + b.high, a.nan || b.nan}));
}

Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

Interval operator*(const Interval& a, const Interval& b) { return rounded(exact_product(a, b)); }

Interval operator/(const Interval& a, const Interval& b) {
  if (!a.is_number() || !b.is_number()) return Interval::no_number();
  const Interval inverse{b.high > 0 ? 1 / b.high : kInf, b.low > 0 ? 1 / b.low : kInf, b.nan};
  return rounded(exact_product(a, inverse), 2);
}

void Sum::add(const Interval& term) {
  ++terms_;
  nan_ |= term.nan;
  infinities_.add(term);
  double most = 0;
  if (std::isfinite(term.low)) low_ += term.low, most = std::fabs(term.low);
  if (std::isfinite(term.high)) high_ += term.high, most = std::max(most, std::fabs(term.high));
  magnitude_ += most;
}

void Sum::add_product(const Interval& a, const Interval& b) { add(exact_product(a, b)); }

Interval Sum::value(double more) const {
  const double slack = 1.01 * (terms_ + more) * (kHalfUlp * magnitude_ + kLeastF32);
  // A partial sum may leave f32 on either side.
  const Interval sum =
      magnitude_ + slack > kMostF32 ? Interval::anything() : Interval{low_ - slack, high_ + slack, nan_};
  return infinities_.surely_nan ? Interval::no_number() : sum == Interval::anything() ? sum : infinities_.among(sum);
}

}  // namespace brickwork::oracle
