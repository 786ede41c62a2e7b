#include "experiments/search/conv_forward_search.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "experiments/search/conv_plan_neighbours.hpp"
#include "kernels/base/aligned_buffer.hpp"

namespace brickwork {
namespace {

AlignedBuffer<float> filled(std::int64_t size) {
  AlignedBuffer<float> values(static_cast<std::size_t>(size));
  std::ranges::fill(values, 1.0F);
  return values;
}

struct Tensors {
  Tensors(const ConvProblem& p, const ConvForward& conv)
      : src(filled(conv.src_layout().size())),
        weights(filled(conv.weights_layout().size())),
        bias(filled(p.epilogue.bias ? conv.dst_layout().Cb() * conv.dst_layout().bc : 0)),
        residual(filled(p.epilogue.residual ? conv.dst_layout().size() : 0)),
        dst(filled(conv.dst_layout().size())) {}

  AlignedBuffer<float> src, weights, bias, residual, dst;
};

// Plans whose tensors have the same sizes share them, whatever their blocks: all values are ones, and plans that are
// compared use the same memory. The tensors live as long as one of the plans: filling them again takes longer than a
// race.
class SharedTensors {
 public:
  std::shared_ptr<Tensors> of(const ConvProblem& p, const ConvForward& conv) {
    std::weak_ptr<Tensors>& kept =
        by_size_[{conv.src_layout().size(), conv.weights_layout().size(), conv.dst_layout().size()}];
    auto tensors = kept.lock();
    if (!tensors) kept = tensors = std::make_shared<Tensors>(p, conv);
    return tensors;
  }

  // Tensors that are still in use stay where they are, so the next ones get other addresses.
  void forget() { by_size_.clear(); }

 private:
  std::map<std::array<std::int64_t, 3>, std::weak_ptr<Tensors>> by_size_;
};

}  // namespace

SearchResult<ConvPlan> search_conv_forward(const ConvProblem& p, const ConvPlan& rule, const SearchLimits& limits,
                                           Backend backend, Isa isa, const SimdTuning& tuning) {
  SharedTensors shared;
  const auto make = [&](const ConvPlan& plan) -> std::function<void()> {
    auto made = ConvForward::make(p, plan, backend, isa, tuning);
    if (!made) return nullptr;
    const auto conv = std::make_shared<const ConvForward>(*std::move(made));
    return [conv, t = shared.of(p, *conv)] {
      conv->run(t->src.data(), t->weights.data(), t->bias.data(), t->residual.data(), t->dst.data());
    };
  };
  const auto neighbours = [&](const ConvPlan& plan) { return conv_plan_neighbours(p, plan); };
  return PlanSearch<ConvPlan>({neighbours, make, [&] { shared.forget(); }}, limits).run(rule);
}

}  // namespace brickwork
