// Random inputs for which the right answer is exact or has a stated bound.
#pragma once
#include <cstdint>
#include <random>
#include <span>
#include <string>

namespace brickwork {

enum class Fill {
  integers,  // small enough that every sum is exact in f32: the tolerance is 0
  floats,    // in [-1, 1), multiples of 2^-23: the tolerance of a sum is (its operations) * epsilon
};

class TestValues {
 public:
  // For outputs that are sums of `terms` products plus a few more values; `curved`: for the values of a curve at such
  // sums. Throws std::invalid_argument if not even +-1 keeps the sums exact.
  TestValues(Fill, std::int64_t terms, const std::string& seed, bool curved = false);

  // Integers: 1 <= |x| <= limit, so that a lost element always shows. For a curve all are divided by one power of two:
  // the sums stay exact, and lie around 1, where a curve bends, not all at its ends.
  void fill(std::span<double>);

  double tolerance() const { return tolerance_; }

 private:
  Fill fill_;
  int limit_ = 0;
  double tolerance_ = 0;
  int scale_ = 0;  // values are multiplied by 2^scale_
  std::mt19937 random_;
};

}  // namespace brickwork
