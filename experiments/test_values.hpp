// Inputs for which the right answer is known to the bit, or up to a stated bound.
#pragma once
#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "experiment.hpp"

namespace brickwork {

class TestValues {
 public:
  // For outputs that are sums of `terms` products, plus a few more values.
  // Throws std::runtime_error where not even +-1 keeps the sums exact.
  TestValues(Fill, std::int64_t terms, const std::string& seed);

  // Integers: 1 <= |x| <= limit, so that a lost element always shows. Floats: [-1, 1).
  void fill(std::span<float>);

  double tolerance() const { return tolerance_; }

 private:
  Fill fill_;
  int limit_ = 0;
  double tolerance_ = 0;
  std::mt19937 random_;
};

}  // namespace brickwork
