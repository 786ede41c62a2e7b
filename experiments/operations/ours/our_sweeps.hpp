// Makes contenders of our primitives that sweep over blocked tensors and are bound by memory. A Pass describes a
// primitive:
//
//   using Op = ...; using Plan = ...;
//   using Driver = ...;   made from (problem, plan); throws std::invalid_argument if they do not fit
//   static Plan rule(const Problem&, const MachineModel&);
//   class Prepared;       of PreparedSweeps<Driver>, made from (problem, plain tensors, driver)
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "baselines/contender/contender.hpp"
#include "experiments/harness/terminal/options.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/elementwise/elementwise_plan.hpp"
#include "primitives/planning/machine_model.hpp"
#include "primitives/tensors/blocked_images.hpp"

namespace brickwork {

// Base class of a prepared contender: gives its rows the implementation, plan and isa.
template <class Driver>
class PreparedSweeps : public Prepared {
 public:
  PreparedSweeps(const PlainTensors& plain, Driver driver) : plain_(plain), driver_(std::move(driver)) {}

  std::string implementation() const override { return "vector loops"; }
  std::string plan() const override { return to_string(driver_.plan()); }
  std::string isa() const override { return elementwise_isa(); }

 protected:
  const float* plain(std::string_view name) const { return plain_.at<float>(name); }

 private:
  const PlainTensors& plain_;

 protected:
  Driver driver_;
};

// The plan is that of --plan, or the planner's choice for each problem. The contender keeps a reference to the options,
// which must live longer: their tuning, from which the planner takes the size of blocks, is set only when a run begins.
template <class Pass>
Contender<typename Pass::Op> our_sweeps(const Options& o) {
  using Problem = typename Pass::Op::Problem;
  using Plan = typename Pass::Plan;
  const auto asked = o.plan.empty() ? std::nullopt : std::optional(parse_problem<Plan>(o.plan));
  const auto make_driver = [asked, &o](const Problem& p, const Resources& r) -> Result<typename Pass::Driver> {
    try {
      return typename Pass::Driver(p, asked ? *asked : Pass::rule(p, this_machine(r.threads, o.tuning)));
    } catch (const std::invalid_argument& e) {
      return Result<typename Pass::Driver>::misfit(e.what());
    }
  };
  return {.name = "brickwork",
          .library = {"highway", brgemm_backend(Backend::simd).version, {}},
          .ours = true,
          .tuned = true,
          .prepare = [=](const Problem& p, const PlainTensors& inputs, const Resources& r) -> Result<PreparedPtr> {
            auto driver = make_driver(p, r);
            if (!driver) return {driver.status(), driver.reason()};
            return PreparedPtr(std::make_unique<typename Pass::Prepared>(p, inputs, *std::move(driver)));
          },
          .plan = [=](const Problem& p, const Resources& r) -> Result<std::string> {
            const auto driver = make_driver(p, r);
            if (!driver) return {driver.status(), driver.reason()};
            return to_string(driver->plan());
          }};
}

}  // namespace brickwork
