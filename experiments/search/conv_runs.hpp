// Runs plans of a convolution's passes on tensors of their own, for searches and sweeps.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/conv/forward/conv_forward.hpp"
#include "primitives/conv/update/conv_weight_update.hpp"

namespace brickwork {

// Tensors of ones. Plans whose tensors have the same sizes share them, whatever their blocks: plans that are compared
// use the same memory. The tensors live as long as one of the plans: filling them again takes longer than a race.
class SharedTensors {
 public:
  using Tensors = std::vector<AlignedBuffer<float>>;
  std::shared_ptr<Tensors> of(const std::vector<std::int64_t>& sizes);

  // Tensors that are still in use stay where they are, so the next ones get other addresses.
  void forget() { by_size_.clear(); }

 private:
  std::map<std::vector<std::int64_t>, std::weak_ptr<Tensors>> by_size_;
};

// A function that runs a plan; null if the plan does not fit.
template <class Plan>
using PlanRuns = std::function<std::function<void()>(const Plan&)>;

struct RunSetting {
  Backend backend = Backend::simd;
  Isa isa = Isa::best;
  SimdTuning tuning;
};

// `tensors` must outlive the results, the problem is copied.
PlanRuns<ConvPlan> conv_forward_runs(const ConvProblem&, const RunSetting&, SharedTensors& tensors);
PlanRuns<ConvBackwardPlan> conv_backward_runs(const ConvProblem&, const RunSetting&, SharedTensors& tensors);
PlanRuns<ConvUpdatePlan> conv_update_runs(const ConvProblem&, const RunSetting&, SharedTensors& tensors);

}  // namespace brickwork
