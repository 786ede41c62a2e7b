// The C API's activations as the kernels know them.
#pragma once
#include <brickwork/brickwork.h>
#include <fmt/format.h>

#include <stdexcept>

#include "kernels/epilogue/activation.hpp"

namespace brickwork::library {

inline Activation activation_of(int value) {
  switch (value) {
    case BRICKWORK_NO_ACTIVATION:
      return Activation::none;
    case BRICKWORK_RELU:
      return Activation::relu;
    case BRICKWORK_SIGMOID:
      return Activation::sigmoid;
    case BRICKWORK_TANH:
      return Activation::tanh;
    case BRICKWORK_GELU:
      return Activation::gelu;
  }
  throw std::invalid_argument(fmt::format("there is no activation {}: expected 0 (none) to 4 (gelu)", value));
}

}  // namespace brickwork::library
