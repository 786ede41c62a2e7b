// Makes contenders of our operations on plain arrays. They pack nothing.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "baselines/contender/contender.hpp"
#include "build_info.hpp"
#include "experiments/harness/terminal/options.hpp"
#include "primitives/elementwise/elementwise_plan.hpp"

namespace brickwork {

// Makes the function that a run calls. The tensors outlive it.
template <Operation Op>
using ElementwiseWork = std::function<void()> (*)(const typename Op::Problem&, const PlainTensors& in,
                                                  PlainTensors& out, const ElementwisePlan&);

template <Operation Op>
class PreparedElementwise final : public Prepared {
 public:
  PreparedElementwise(const typename Op::Problem& p, const PlainTensors& in, ElementwisePlan chosen,
                      ElementwiseWork<Op> make_work)
      : out_(Op::outputs(p)), plan_(chosen), work_(make_work(p, in, out_, chosen)) {}

  void pack() override {}
  void run() override { work_(); }
  void unpack(PlainTensors& out) override {
    for (std::size_t i = 0; i < out_.infos().size(); ++i) {
      std::ranges::copy(out_.values<float>(i), out.values<float>(i).begin());
    }
  }
  std::string implementation() const override { return "vector loops"; }
  std::string plan() const override { return to_string(plan_); }
  std::string isa() const override { return elementwise_isa(); }

 private:
  PlainTensors out_;
  ElementwisePlan plan_;
  std::function<void()> work_;
};

// The plan is that of --plan, or the planner's choice for each problem. The options must outlive the contender: the
// tuning is known only when a run begins.
template <Operation Op>
Contender<Op> our_elementwise(const Options& o, ElementwiseWork<Op> make_work) {
  using Problem = typename Op::Problem;
  const std::optional<ElementwisePlan> asked =
      o.plan.empty() ? std::nullopt : std::optional(parse_elementwise_plan(o.plan));
  const auto plan_of = [asked, &o](const Problem& p, const Resources& r) {
    return asked ? *asked : plan_elementwise(bytes_of<Op>(p), this_machine(r.threads, o.tuning));
  };
  return {
      .name = "brickwork",
      .library = {"highway", fmt::format("Highway {}", build_info::highway)},
      .ours = true,
      .tuned = true,
      .prepare = [=](const Problem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
        return PreparedPtr(std::make_unique<PreparedElementwise<Op>>(p, in, plan_of(p, r), make_work));
      },
      .plan = [=](const Problem& p, const Resources& r) -> Result<std::string> { return to_string(plan_of(p, r)); }};
}

}  // namespace brickwork
