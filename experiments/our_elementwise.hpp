// Operations of ours on plain arrays as contenders: there is nothing to pack.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "brgemm.hpp"
#include "contender.hpp"
#include "elementwise/elementwise_plan.hpp"
#include "options.hpp"

namespace brickwork {

template <Operation Op>
using ElementwiseRun = void (*)(const typename Op::Problem&, const PlainTensors& in, PlainTensors& out,
                                const ElementwisePlan&);

template <Operation Op>
class PreparedElementwise final : public Prepared {
 public:
  PreparedElementwise(typename Op::Problem p, const PlainTensors& plain, ElementwisePlan chosen, ElementwiseRun<Op> op)
      : problem_(std::move(p)), plain_(plain), out_(Op::outputs(problem_)), plan_(chosen), run_(op) {}

  void pack() override {}
  void run() override { run_(problem_, plain_, out_, plan_); }
  void unpack(PlainTensors& out) override {
    for (std::size_t i = 0; i < out_.infos().size(); ++i) {
      std::ranges::copy(out_.template values<float>(i), out.template values<float>(i).begin());
    }
  }
  std::string implementation() const override { return "vector loops"; }
  std::string plan() const override { return to_string(plan_); }
  std::string isa() const override { return elementwise_isa(); }

 private:
  typename Op::Problem problem_;
  const PlainTensors& plain_;
  PlainTensors out_;
  ElementwisePlan plan_;
  ElementwiseRun<Op> run_;
};

// The plan is --plan's, or the rule's choice for each problem.
template <Operation Op>
Contender<Op> our_elementwise(const Options& o, ElementwiseRun<Op> run) {
  using Problem = typename Op::Problem;
  const std::optional<ElementwisePlan> asked =
      o.plan.empty() ? std::nullopt : std::optional(parse_elementwise_plan(o.plan));
  const auto plan_of = [=](const Problem& p, const Resources& r) {
    return asked ? *asked : plan_elementwise(bytes_of<Op>(p), this_machine(r.threads));
  };
  return {
      .name = "brickwork",
      .library = {"highway", brgemm_backend(Backend::simd).version},
      .ours = true,
      .prepare = [=](const Problem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
        return PreparedPtr(std::make_unique<PreparedElementwise<Op>>(p, in, plan_of(p, r), run));
      },
      .plan = [=](const Problem& p, const Resources& r) -> Result<std::string> { return to_string(plan_of(p, r)); }};
}

}  // namespace brickwork
