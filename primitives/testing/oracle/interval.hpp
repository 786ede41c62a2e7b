// Interval arithmetic for f32: an interval holds every result that rounding allows. Drivers add up in any order, with
// or without FMA; a result outside its interval is wrong.
//
// Each operation widens its result by the largest possible rounding error: a sum of n terms by n/2 epsilon times the
// sum of their absolute values. An end that rounding may move out of f32 becomes infinite. An infinity minus an
// infinity, or times zero, is NaN: an interval says whether a result is surely NaN, or may be.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace brickwork::oracle {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMostF32 = std::numeric_limits<float>::max();
constexpr double kLeastF32 = std::numeric_limits<float>::denorm_min();
constexpr double kHalfUlp = std::numeric_limits<float>::epsilon() / 2;  // relative error of rounding to nearest

struct Interval {
  double low = 0, high = 0;  // low > high: surely NaN
  bool nan = false;          // it may be NaN

  // A value that is exact in f32, of any kind.
  static Interval of(double x) { return std::isnan(x) ? no_number() : Interval{x, x, false}; }
  static Interval no_number() { return {kInf, -kInf, true}; }
  static Interval anything() { return {-kInf, kInf, true}; }

  bool is_number() const { return low <= high; }  // it is or may be a number
  double most() const { return std::fmax(std::fabs(low), std::fabs(high)); }
  bool allows(float x) const { return std::isnan(x) ? nan : low <= x && x <= high; }
  Interval or_nan() const { return {low, high, true}; }

  friend bool operator==(const Interval&, const Interval&) = default;
};
std::string to_string(const Interval&);

// The smallest interval that holds both.
Interval either(const Interval&, const Interval&);
// The result plus an error of at most `by`.
Interval widened(const Interval&, double by);
// The result after `times` roundings to f32.
Interval rounded(const Interval&, double times = 1);

Interval operator-(const Interval&);
Interval operator+(const Interval&, const Interval&);
Interval operator-(const Interval&, const Interval&);
Interval operator*(const Interval&, const Interval&);
inline Interval operator*(double a, const Interval& b) { return Interval::of(a) * b; }
// a / b, where b is not below 0.
Interval operator/(const Interval&, const Interval&);

// From f(low) to f(high) for a function that never falls, before any rounding.
template <class F>
Interval rising(const F& f, const Interval& x) {
  return x.is_number() ? Interval{f(x.low), f(x.high), x.nan} : x;
}

// The infinite terms of a sum, which decide its value.
struct Infinities {
  bool plus = false, minus = false;  // a term is surely infinite
  bool may_be_plus = false, may_be_minus = false;
  bool surely_nan = false;

  void add(const Interval& term);
  Interval among(const Interval& sum_of_finite) const;
};

// A sum of terms in any order, each added once; products may be rounded or not.
class Sum {
 public:
  void add(const Interval& term);
  void add_product(const Interval& a, const Interval& b);
  // The product of exact values, faster: a convolution has many of them.
  void add_product(float a, float b) {
    const double product = double{a} * double{b};
    if (!std::isfinite(product)) return add_product(Interval::of(a), Interval::of(b));
    low_ += product;
    high_ += product;
    magnitude_ += std::fabs(product);
    ++terms_;
  }
  // A term that an implementation may leave out or multiply out: a zero beside an image, times x.
  void add_zero_times(double x) { nan_ |= !std::isfinite(x); }
  void add_zero_times(const Interval& x) { nan_ |= x.nan || !std::isfinite(x.low) || !std::isfinite(x.high); }

  double magnitude() const { return magnitude_; }  // sum of the finite terms' absolute values
  // `more`: additional roundings, for a sum that is not simply added up.
  Interval value(double more = 0) const;

 private:
  double low_ = 0, high_ = 0, magnitude_ = 0;
  double terms_ = 0;
  bool nan_ = false;
  Infinities infinities_;
};

}  // namespace brickwork::oracle
