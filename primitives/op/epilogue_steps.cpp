#include "primitives/op/epilogue_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <vector>

namespace brickwork {
namespace {

std::string last_step(Activation activation, bool derivative) {
  return fmt::format("{}{}", derivative ? "d" : "", to_string(activation));
}

std::string last_steps(const EpilogueSteps& steps) {
  std::vector<std::string> names;
  for (const bool derivative : {false, true}) {
    if (!(derivative ? steps.derivative : steps.activation)) continue;
    for (const Activation a : kActivations) {
      if (a != Activation::none) names.push_back(last_step(a, derivative));
    }
  }
  return fmt::format("{}", fmt::join(names, "|"));
}

std::vector<std::string> sums(bool bias, bool residual) {
  std::vector<std::string> names;
  if (bias) names.emplace_back("bias");
  if (residual) names.emplace_back("residual");
  return names;
}

}  // namespace

std::string to_string(const Epilogue& e) {
  std::vector<std::string> names = sums(e.bias, e.residual);
  if (e.activation != Activation::none) names.push_back(last_step(e.activation, e.derivative));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, "+"));
}

std::string to_string(const EpilogueSteps& steps) {
  std::vector<std::string> names = sums(steps.bias, steps.residual);
  if (steps.activation || steps.derivative) names.push_back(last_steps(steps));
  if (names.empty()) return "none";
  if (names.size() == 1) return "none or " + names.front();
  return fmt::format("none, or some of {} in this order joined by +", fmt::join(names, ", "));
}

void require_steps(const Epilogue& e, const EpilogueSteps& has, std::string_view pass) {
  const bool last = e.activation == Activation::none || (e.derivative ? has.derivative : has.activation);
  if (e.bias <= has.bias && e.residual <= has.residual && last) return;
  throw std::invalid_argument(
      fmt::format("the epilogue is {}: for the pass {} it must be {}", to_string(e), pass, to_string(has)));
}

bool set_epilogue(Epilogue& epilogue, std::string_view text) {
  for (const bool bias : {false, true}) {
    for (const bool residual : {false, true}) {
      for (const Activation activation : kActivations) {
        for (const bool derivative : {false, true}) {
          if (derivative && activation == Activation::none) continue;
          const Epilogue candidate{bias, residual, activation, derivative};
          if (text != to_string(candidate)) continue;
          epilogue = candidate;
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace brickwork
