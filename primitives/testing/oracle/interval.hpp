// What arithmetic in f32 may make of numbers: an interval, from the rules of rounding alone. Drivers add up in any
// order, with or without FMA; whatever they do, what they return lies in it, or is wrong.
//
// Each operation widens what it returns by what its roundings can do at most: a sum of n terms by n/2 epsilon times the
// sum of their absolute values. Where rounding may leave f32 that end is infinite. What is no number is said besides:
// an infinity less an infinity, or times zero, is NaN where it surely happens, and may be where it may.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace brickwork::oracle {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMostF32 = std::numeric_limits<float>::max();
constexpr double kLeastF32 = std::numeric_limits<float>::denorm_min();
constexpr double kHalfUlp = std::numeric_limits<float>::epsilon() / 2;  // of rounding to nearest, relative

struct Interval {
  double low = 0, high = 0;  // low > high: no number
  bool nan = false;          // whether it may be NaN

  // What is in f32 already: it may be anything.
  static Interval of(double x) { return std::isnan(x) ? no_number() : Interval{x, x, false}; }
  static Interval no_number() { return {kInf, -kInf, true}; }
  static Interval anything() { return {-kInf, kInf, true}; }

  bool is_number() const { return low <= high; }  // or may be
  double most() const { return std::fmax(std::fabs(low), std::fabs(high)); }
  bool allows(float x) const { return std::isnan(x) ? nan : low <= x && x <= high; }
  Interval or_nan() const { return {low, high, true}; }

  friend bool operator==(const Interval&, const Interval&) = default;
};
std::string to_string(const Interval&);

// Either of the two.
Interval either(const Interval&, const Interval&);
// Of a result that is off by so much at most.
Interval widened(const Interval&, double by);
// Rounded to f32, `times` times.
Interval rounded(const Interval&, double times = 1);

Interval operator-(const Interval&);
Interval operator+(const Interval&, const Interval&);
Interval operator-(const Interval&, const Interval&);
Interval operator*(const Interval&, const Interval&);
inline Interval operator*(double a, const Interval& b) { return Interval::of(a) * b; }
// a / b, of b that is not below 0.
Interval operator/(const Interval&, const Interval&);

// f(low) to f(high) of a function that falls nowhere, before any rounding.
template <class F>
Interval rising(const F& f, const Interval& x) {
  return x.is_number() ? Interval{f(x.low), f(x.high), x.nan} : x;
}

// Which infinite terms a sum has, which decide it.
struct Infinities {
  bool plus = false, minus = false;  // one is surely infinite
  bool may_be_plus = false, may_be_minus = false;
  bool surely_nan = false;

  void add(const Interval& term);
  Interval among(const Interval& sum_of_finite) const;
};

// Of terms in any order, each added once, and products rounded or not.
class Sum {
 public:
  void add(const Interval& term);
  void add_product(const Interval& a, const Interval& b);
  // The same of what is in f32: a convolution has many of them.
  void add_product(float a, float b) {
    const double product = double{a} * double{b};
    if (!std::isfinite(product)) return add_product(Interval::of(a), Interval::of(b));
    low_ += product;
    high_ += product;
    magnitude_ += std::fabs(product);
    ++terms_;
  }
  // A term that an implementation may leave out or may multiply out: zeros beside an image, times this.
  void add_zero_times(double x) { nan_ |= !std::isfinite(x); }
  void add_zero_times(const Interval& x) { nan_ |= x.nan || !std::isfinite(x.low) || !std::isfinite(x.high); }

  double magnitude() const { return magnitude_; }  // of the finite terms' absolute values
  // `more` terms' roundings besides, for what is not just added up.
  Interval value(double more = 0) const;

 private:
  double low_ = 0, high_ = 0, magnitude_ = 0;
  double terms_ = 0;
  bool nan_ = false;
  Infinities infinities_;
};

}  // namespace brickwork::oracle
