#include "primitives/conv/backward/conv_backward_touches.hpp"

#include <fmt/format.h>

#include <string>

#include "primitives/conv/backward/conv_backward_blocking.hpp"
#include "primitives/conv/backward/stride_phases.hpp"
#include "primitives/conv/forward/conv_forward_touches.hpp"

namespace brickwork {
namespace {

// Adds the pixels of a phase without taps: what the computed phase touches of dst, residual and `at`, moved to the
// phase's place.
void add_pixels_without_taps(NestTouches& nest, const ConvView& phase, int number) {
  const std::size_t computed = nest.tensors.size();
  for (std::size_t i = 0; i < computed; ++i) {
    TouchedTensor tensor = nest.tensors[i];
    if (tensor.name != "dst" && tensor.name != "residual" && tensor.name != "at") continue;
    tensor.touch = tensor.name == "dst" ? Touch::write : Touch::read;
    tensor.name += fmt::format("_without_taps_{}", number);
    tensor.at_last = true;
    tensor.index[2].offset = phase.first_h;
    tensor.index[3].offset = phase.first_w;
    nest.tensors.push_back(tensor);
  }
}

}  // namespace

Result<std::vector<NestTouches>> conv_backward_touches(const ConvProblem& problem, const ConvPlan& plan) {
  using Nests = Result<std::vector<NestTouches>>;
  const std::vector<BackwardPhase> phases = backward_phases(problem);
  if (!phases.front().has_taps()) return Nests::unsupported(kNothingToCompute);
  if (!lie_beside_the_first(phases)) {
    return Nests::unsupported(
        "a phase without taps has more rows or columns than the first phase, and no affine index says which call "
        "writes "
        "the rest");
  }
  std::vector<NestTouches> nests;
  int without_taps = 0;
  for (const BackwardPhase& phase : phases) {
    if (!phase.has_taps()) {
      add_pixels_without_taps(nests.front(), phase.view, ++without_taps);
      continue;
    }
    auto nest = conv_forward_touches(phase.view, plan_of_phase(plan, phase.view));
    if (!nest) return {nest.status(), nest.reason()};
    nests.push_back(*std::move(nest));
  }
  return nests;
}

}  // namespace brickwork
