// Makes an experiment in the precision that the command line asks for.
#pragma once
#include <vector>

#include "baselines/contender/precision.hpp"
#include "experiments/harness/run/experiment_of.hpp"

namespace brickwork {

// contenders(precision) returns the contenders of the operation on f32 tensors.
template <Operation Op, class Contenders>
std::unique_ptr<Experiment> in_asked_precision(const Request& request, const Contenders& contenders) {
  const auto experiment = [&]<Precision kPrecision>() {
    std::vector<Contender<InPrecision<Op, kPrecision>>> theirs;
    for (Contender<Op>& contender : contenders(kPrecision)) {
      theirs.push_back(in_precision<kPrecision>(std::move(contender)));
    }
    return make_experiment(request, std::move(theirs));
  };
  switch (request.options.precision) {
    case Precision::f32:
      return experiment.template operator()<Precision::f32>();
    case Precision::tf32:
      return experiment.template operator()<Precision::tf32>();
    case Precision::bf16:
      return experiment.template operator()<Precision::bf16>();
  }
  throw std::logic_error("no such precision");
}

}  // namespace brickwork
