#include "search/conv_forward_search.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "aligned_buffer.hpp"
#include "search/conv_plan_neighbours.hpp"

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

// Plans with the same blocks share their tensors, as long as one of them is in the race: filling them would take longer
// than the race does.
class SharedTensors {
 public:
  std::shared_ptr<Tensors> of(const ConvProblem& p, const ConvForward& conv) {
    std::weak_ptr<Tensors>& kept = by_blocks_[{conv.plan().bc, conv.plan().bk}];
    auto tensors = kept.lock();
    if (!tensors) kept = tensors = std::make_shared<Tensors>(p, conv);
    return tensors;
  }

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, std::weak_ptr<Tensors>> by_blocks_;
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
  return PlanSearch<ConvPlan>({neighbours, make}, limits).run(rule);
}

}  // namespace brickwork
