// The last steps that an epilogue may have, each defined in double precision, independently of the code under test.
#pragma once
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "kernels/epilogue/activation.hpp"

namespace brickwork {

struct LastStep {
  Activation activation = Activation::none;
  bool derivative = false;  // the product with the derivative instead of the activation

  double operator()(double x, double at) const {
    const double c = std::sqrt(2 / std::acos(-1.0)), y = derivative ? at : x;
    const double t = std::tanh(c * (y + 0.044715 * y * y * y));
    switch (activation) {
      case Activation::relu:
        return derivative ? at > 0 ? x : 0 : std::max(x, 0.0);
      case Activation::sigmoid:
        return derivative ? x * at * (1 - at) : 1 / (1 + std::exp(-x));
      case Activation::tanh:
        return derivative ? x * (1 - at * at) : std::tanh(x);
      case Activation::gelu:
        return derivative ? x * ((1 + t) / 2 + at / 2 * (1 - t * t) * c * (1 + 3 * 0.044715 * at * at))
                          : x / 2 * (1 + t);
      default:
        return x;
    }
  }

  // relu must be exact. The error of a curve is relative to the largest of its exact value, its argument (or gradient)
  // and 1.
  bool accepts(double got, double x, double at) const {
    const double wanted = (*this)(x, at), tolerance = is_curve(activation) ? 6e-7 : 0.0;
    return std::abs(got - wanted) <= tolerance * std::max({1.0, std::abs(x), std::abs(wanted)});
  }
};

constexpr LastStep kLastSteps[] = {{},
                                   {Activation::relu, false},
                                   {Activation::relu, true},
                                   {Activation::sigmoid, false},
                                   {Activation::sigmoid, true},
                                   {Activation::tanh, false},
                                   {Activation::tanh, true},
                                   {Activation::gelu, false},
                                   {Activation::gelu, true}};
constexpr int kNumLastSteps = std::size(kLastSteps);

inline std::string to_string(const LastStep& last) {
  std::string text = last.derivative ? "d" : "";
  return text += to_string(last.activation);
}

}  // namespace brickwork
