// Activations and their derivatives, element by element, for the epilogues of all backends.
#pragma once
#include <cmath>
#include <string_view>

#include "kernels/base/host_device.hpp"

namespace brickwork {

//   relu     x < 0 ? 0 : x
//   sigmoid  1 / (1 + exp(-x))
//   tanh     tanh(x)
//
//   gelu     x / 2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))): the tanh form, oneDNN's eltwise_gelu_tanh
//
// A derivative is evaluated at a tensor of the forward pass: for relu, sigmoid and tanh at the output y, for gelu at
// the input x. relu's derivative selects instead of multiplying: the gradient becomes 0 if y <= 0 and is unchanged
// otherwise. An epilogue hides no NaN, except that relu's derivative stops a NaN gradient where y <= 0 and passes a
// gradient where y is NaN.
enum class Activation { none, relu, sigmoid, tanh, gelu };
constexpr Activation kActivations[] = {Activation::none, Activation::relu, Activation::sigmoid, Activation::tanh,
                                       Activation::gelu};

constexpr std::string_view to_string(Activation a) {
  constexpr std::string_view names[] = {"none", "relu", "sigmoid", "tanh", "gelu"};
  return names[static_cast<int>(a)];
}

// Whether it needs an exponential: too much code to repeat for every register of a tile.
BRICKWORK_HOST_DEVICE constexpr bool is_curve(Activation a) { return a > Activation::relu; }

// gelu(x) = x * s with s = sigmoid(2u), where u is the argument of tanh: unlike 1 + tanh(u), this form does not cancel.
// 2u = x * (kLinear + kCubic * x^2). The derivative does not cancel either. Its term s^2 * exp(-2u) is 0 in f32 beyond
// |x| = kLimit, where the exponential does not yet overflow.
struct Gelu {
  static constexpr double kLinear = 1.5957691216057308, kCubic = 0.044715 * kLinear, kLimit = 10;
};

template <class T>
BRICKWORK_HOST_DEVICE T sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

template <class T>
BRICKWORK_HOST_DEVICE T activated(Activation activation, T x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < T(0) ? T(0) : x;
    case Activation::sigmoid:
      return sigmoid(x);
    case Activation::tanh:
      return std::tanh(x);
    case Activation::gelu:
      return x * sigmoid(x * (T(Gelu::kLinear) + T(Gelu::kCubic) * x * x));
  }
  return x;
}

// `gradient` after the activation -> gradient before it.
template <class T>
BRICKWORK_HOST_DEVICE T times_derivative(Activation activation, T gradient, T at) {
  switch (activation) {
    case Activation::none:
      return gradient;
    case Activation::relu:
      return at <= T(0) ? T(0) : gradient;
    case Activation::sigmoid:
      return gradient * (at * (T(1) - at));
    case Activation::tanh:
      return gradient * (T(1) - at * at);
    case Activation::gelu: {
      const T limit = T(Gelu::kLimit), x = at < -limit ? -limit : at > limit ? limit : at, square = x * x;
      const T e = std::exp(-x * (T(Gelu::kLinear) + T(Gelu::kCubic) * square)), s = T(1) / (T(1) + e);
      return gradient * (s + x * (T(Gelu::kLinear) + T(3 * Gelu::kCubic) * square) * (e * s * s));
    }
  }
  return gradient;
}

// Curves of an epilogue that is compiled once: inlined.
struct InlinedCurves {
  template <class T>
  BRICKWORK_HOST_DEVICE static T activated(Activation activation, T x) {
    return brickwork::activated(activation, x);
  }
  template <class T>
  BRICKWORK_HOST_DEVICE static T times_derivative(Activation activation, T gradient, T at) {
    return brickwork::times_derivative(activation, gradient, at);
  }
};

// Curves of an epilogue that is compiled for each of up to 64 registers of a tile: called. ptxas took 16 s for a kernel
// with all of them inlined, and takes 5 s.
struct CalledCurves {
  template <class T>
  BRICKWORK_HOST_DEVICE static T activated(Activation activation, T x) {
    return is_curve(activation) ? called(activation, x) : brickwork::activated(activation, x);
  }
  template <class T>
  BRICKWORK_HOST_DEVICE static T times_derivative(Activation activation, T gradient, T at) {
    return is_curve(activation) ? called(activation, gradient, at)
                                : brickwork::times_derivative(activation, gradient, at);
  }

 private:
  template <class T>
  BRICKWORK_HOST_DEVICE BRICKWORK_DEVICE_NOINLINE static T called(Activation activation, T x) {
    return brickwork::activated(activation, x);
  }
  template <class T>
  BRICKWORK_HOST_DEVICE BRICKWORK_DEVICE_NOINLINE static T called(Activation activation, T gradient, T at) {
    return brickwork::times_derivative(activation, gradient, at);
  }
};

}  // namespace brickwork
