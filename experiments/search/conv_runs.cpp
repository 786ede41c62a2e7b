#include "experiments/search/conv_runs.hpp"

#include <algorithm>

namespace brickwork {

std::shared_ptr<SharedTensors::Tensors> SharedTensors::of(const std::vector<std::int64_t>& sizes) {
  std::weak_ptr<Tensors>& kept = by_size_[sizes];
  auto tensors = kept.lock();
  if (tensors) return tensors;
  kept = tensors = std::make_shared<Tensors>();
  for (const std::int64_t size : sizes) {
    tensors->emplace_back(static_cast<std::size_t>(size));
    std::ranges::fill(tensors->back(), 1.0F);
  }
  return tensors;
}

PlanRuns<ConvPlan> conv_forward_runs(const ConvProblem& p, const RunSetting& on, SharedTensors& tensors) {
  return [p, on, &tensors](const ConvPlan& plan) -> std::function<void()> {
    auto made = ConvForward::make(p, plan, on.backend, on.isa, on.tuning);
    if (!made) return nullptr;
    const auto conv = std::make_shared<const ConvForward>(*std::move(made));
    const std::int64_t dst = conv->dst_layout().size();
    auto t = tensors.of({conv->src_layout().size(), conv->weights_layout().size(),
                         p.epilogue.bias ? conv->dst_layout().Cb() * conv->dst_layout().bc : 0,
                         p.epilogue.residual ? dst : 0, dst});
    return [conv, t] { conv->run((*t)[0].data(), (*t)[1].data(), (*t)[2].data(), (*t)[3].data(), (*t)[4].data()); };
  };
}

PlanRuns<ConvBackwardPlan> conv_backward_runs(const ConvProblem& p, const RunSetting& on, SharedTensors& tensors) {
  return [p, on, &tensors](const ConvBackwardPlan& plan) -> std::function<void()> {
    auto made = ConvBackwardData::make(p, plan, on.backend, on.isa, on.tuning);
    if (!made) return nullptr;
    const auto conv = std::make_shared<ConvBackwardData>(*std::move(made));
    const std::int64_t dsrc = conv->dsrc_layout().size();
    auto t = tensors.of({conv->ddst_layout().size(), conv->weights_size(), p.epilogue.residual ? dsrc : 0,
                         p.epilogue.derivative ? dsrc : 0, dsrc});
    return [conv, t] { conv->run((*t)[0].data(), (*t)[1].data(), (*t)[2].data(), (*t)[3].data(), (*t)[4].data()); };
  };
}

PlanRuns<ConvUpdatePlan> conv_update_runs(const ConvProblem& p, const RunSetting& on, SharedTensors& tensors) {
  return [p, on, &tensors](const ConvUpdatePlan& plan) -> std::function<void()> {
    auto made = ConvWeightUpdate::make(p, plan, on.backend, on.isa, on.tuning);
    if (!made) return nullptr;
    const auto conv = std::make_shared<ConvWeightUpdate>(*std::move(made));
    auto t = tensors.of(
        {conv->src_layout().size(), conv->ddst_layout().size(), conv->dweights_layout().size(), conv->dbias_size()});
    return [conv, t] { conv->run((*t)[0].data(), (*t)[1].data(), (*t)[2].data(), (*t)[3].data()); };
  };
}

}  // namespace brickwork
