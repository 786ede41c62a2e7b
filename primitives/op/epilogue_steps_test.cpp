#include "primitives/op/epilogue_steps.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace brickwork {
namespace {

TEST(EpilogueSteps, TextFormRoundTrips) {
  for (const char* text :
       {"none", "bias", "residual", "relu", "bias+residual", "bias+relu", "residual+sigmoid", "bias+residual+tanh",
        "gelu", "drelu", "residual+dsigmoid", "bias+dtanh", "bias+residual+dgelu"}) {
    Epilogue e{.bias = true, .residual = true, .activation = Activation::tanh, .derivative = true};
    ASSERT_TRUE(set_epilogue(e, text)) << text;
    EXPECT_EQ(to_string(e), text);
    EXPECT_EQ(e.any(), std::string_view(text) != "none");
  }
  for (const char* text :
       {"", "Bias", "bias+", "bias+bias", "bias,relu", "relu+bias", "relu+drelu", "dnone", "dbias"}) {
    Epilogue e;
    EXPECT_FALSE(set_epilogue(e, text)) << text;
    EXPECT_EQ(e, Epilogue{}) << text;
  }
}

TEST(EpilogueSteps, OneSentenceSaysWhatAPassTakes) {
  EXPECT_EQ(to_string(EpilogueSteps{}), "none");
  EXPECT_EQ(to_string(EpilogueSteps{.bias = true}), "none or bias");
  EXPECT_EQ(to_string(EpilogueSteps{.residual = true, .derivative = true}),
            "none, or some of residual, drelu|dsigmoid|dtanh|dgelu in this order joined by +");
  EXPECT_EQ(
      to_string(kAllSteps),
      "none, or some of bias, residual, relu|sigmoid|tanh|gelu|drelu|dsigmoid|dtanh|dgelu in this order joined by +");
}

TEST(EpilogueSteps, RefusesAStepThatThePassDoesNotSupport) {
  constexpr EpilogueSteps forward{.bias = true, .residual = true, .activation = true},
      backward{.residual = true, .derivative = true}, update{.bias = true};
  const auto taken = [](const char* text, const EpilogueSteps& steps) {
    Epilogue e;
    if (!set_epilogue(e, text)) throw std::logic_error(text);
    try {
      require_steps(e, steps, "sideways");
      return std::string();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  for (const char* text : {"none", "bias", "residual", "gelu", "bias+residual+relu"})
    EXPECT_EQ(taken(text, forward), "");
  for (const char* text : {"none", "residual", "dgelu", "residual+drelu"}) EXPECT_EQ(taken(text, backward), "");
  for (const char* text : {"none", "bias"}) EXPECT_EQ(taken(text, update), "");
  for (const char* text : {"drelu", "bias+dtanh"}) EXPECT_NE(taken(text, forward), "") << text;
  for (const char* text : {"relu", "bias", "bias+residual"}) EXPECT_NE(taken(text, backward), "") << text;
  for (const char* text : {"relu", "drelu", "residual"}) EXPECT_NE(taken(text, update), "") << text;
  EXPECT_EQ(taken("bias+relu", update), "the epilogue is bias+relu: for the pass sideways it must be none or bias");
  EXPECT_EQ(taken("bias+relu", {}), "the epilogue is bias+relu: for the pass sideways it must be none");
}

}  // namespace
}  // namespace brickwork
