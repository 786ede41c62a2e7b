// The epilogue of an operation: the steps that follow the sum, as a problem names them.
#pragma once
#include <string>
#include <string_view>

#include "kernels/epilogue/activation.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// The steps for an output element after the reduction, in this order: + bias, + residual, then the activation. In
// backward passes a product with the activation's derivative ("drelu") takes the activation's place.
struct Epilogue {
  bool bias = false;
  bool residual = false;
  Activation activation = Activation::none;
  bool derivative = false;

  bool any() const { return bias || residual || activation != Activation::none; }
  friend bool operator==(const Epilogue&, const Epilogue&) = default;
};
std::string to_string(const Epilogue&);  // "none", "bias+relu", "residual+drelu", ...

// The steps that a pass supports.
struct EpilogueSteps {
  bool bias = false, residual = false, activation = false, derivative = false;
};
inline constexpr EpilogueSteps kAllSteps{true, true, true, true};

// "none, or some of bias, residual, relu|sigmoid|tanh|gelu in this order joined by +"
std::string to_string(const EpilogueSteps&);

// Throws std::invalid_argument with one sentence if the epilogue has a step that the pass does not support.
void require_steps(const Epilogue&, const EpilogueSteps&, std::string_view pass);

// The inverse of to_string; false if the text is no epilogue.
bool set_epilogue(Epilogue&, std::string_view text);

// The epilogue as a word of a problem's table.
template <class Problem>
Word<Problem> epilogue_word() {
  static const std::string expected = "an epilogue: " + to_string(kAllSteps);
  return {.column = "epilogue",
          .expected = expected,
          .get = [](const Problem& p) { return to_string(p.epilogue); },
          .set = [](Problem& p, std::string_view word) { return set_epilogue(p.epilogue, word); }};
}

}  // namespace brickwork
