#include "primitives/testing/oracle/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace brickwork::oracle {

std::string difference(const PlainTensors& outputs, const Outcomes& outcomes) {
  std::size_t there = 0;
  for (const TensorInfo& info : outputs.infos()) there += info.size() > 0 ? 1 : 0;
  if (there != outcomes.size()) throw std::logic_error("each output must have outcomes, and outcomes an output");
  for (const auto& [name, elements] : outcomes) {
    const float* const values = outputs.at<float>(name);
    const auto info = std::ranges::find(outputs.infos(), name, &TensorInfo::name);
    if (static_cast<std::size_t>(info->size()) != elements.size()) {
      throw std::logic_error(fmt::format("output {} has {} elements, not {}", name, info->size(), elements.size()));
    }
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = elements.size(); i-- > 0;) {
      if (elements[i].allows(values[i])) continue;
      first = i;
      ++wrong;
    }
    if (wrong > 0) {
      return fmt::format("{} of {} elements of {} are wrong, the first, {}, is {:.9g} instead of {}", wrong,
                         elements.size(), name, first, values[first], to_string(elements[first]));
    }
  }
  return "";
}

}  // namespace brickwork::oracle
