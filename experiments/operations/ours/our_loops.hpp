// Makes contenders of our drivers. A Pass describes a driver and its operation:
//
//   using Op = ...; using Plan = ...;
//   using Driver = ...;            with a static make(problem, plan, backend, isa, tuning), plan() and isa()
//   static ... problem(const Op::Problem&);   what the driver takes for the operation's problem
//   class Prepared;                of PreparedLoops<Driver>, made from (plain tensors, driver, tuning, implementation)
//   static Plan parse(std::string_view);
//   static bool reads(std::string_view);   if --plan may be for another contender: whether the text is for this one
//   static Plan rule(problem of the driver, const MachineModel&, Backend);
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "experiments/operations/ours/our_brick.hpp"
#include "primitives/planning/machine_model.hpp"

namespace brickwork {

constexpr const char* kOurLoops = "brgemm loops";  // part of `implementation` in their rows

// Base class of a prepared contender: gives its rows the implementation, plan, isa and tuning.
template <class Driver>
class PreparedLoops : public Prepared {
 public:
  PreparedLoops(const PlainTensors& plain, Driver driver, std::string tuning, std::string implementation)
      : plain_(plain),
        driver_(std::move(driver)),
        tuning_(std::move(tuning)),
        implementation_(std::move(implementation)) {}

  void set_plan_seconds(double seconds) { plan_seconds_ = seconds; }

  std::string implementation() const override { return implementation_; }
  std::string plan() const override { return to_string(driver_.plan()); }
  std::string isa() const override { return std::string(driver_.isa()); }
  std::string tuning() const override { return tuning_; }
  std::optional<double> plan_seconds() const override { return plan_seconds_; }

 protected:
  const PlainTensors& plain_;
  Driver driver_;

 private:
  std::string tuning_, implementation_;
  std::optional<double> plan_seconds_;
};

template <class Pass>
typename Pass::Plan default_plan(const OurBrick& ours, const typename Pass::Op::Problem& p,
                                 const Resources& resources) {
  return Pass::rule(Pass::problem(p), this_machine(resources.threads, ours.tuning()), ours.backend());
}

template <class Pass>
Result<typename Pass::Driver> make_driver(const OurBrick& ours, const typename Pass::Op::Problem& p,
                                          const typename Pass::Plan& plan) {
  return Pass::Driver::make(Pass::problem(p), plan, ours.backend(), ours.isa(), ours.tuning());
}

template <class Pass>
PreparedPtr prepare_driver(const OurBrick& ours, const PlainTensors& inputs, typename Pass::Driver driver,
                           std::string implementation = kOurLoops, std::optional<double> plan_seconds = {}) {
  auto prepared = std::make_unique<typename Pass::Prepared>(inputs, std::move(driver), ours.tuning_text(),
                                                            std::move(implementation));
  if (plan_seconds) prepared->set_plan_seconds(*plan_seconds);
  return prepared;
}

// The plan, and below it what the driver made of it if that can be read.
template <class Driver>
std::string plan_in_words(const Driver& driver) {
  if constexpr (requires { driver.program(); }) return to_string(driver.plan()) + '\n' + driver.program();
  return to_string(driver.plan());
}

// The plan is that of --plan, or the planner's choice for each problem, then changed by `change` if there is one.
// `contender` has its name and library already.
template <class Pass>
Contender<typename Pass::Op> planned_loops(
    Contender<typename Pass::Op> contender, const OurBrick& ours, const Options& o,
    const std::string& implementation = kOurLoops,
    const std::function<void(typename Pass::Plan&)>& change = [](auto&) {}) {
  using Problem = typename Pass::Op::Problem;
  const bool anothers = [&] {
    if constexpr (requires { Pass::reads(o.plan); }) return !o.plan.empty() && !Pass::reads(o.plan);
    return false;
  }();
  const std::optional<typename Pass::Plan> asked =
      o.plan.empty() || anothers ? std::nullopt : std::optional(Pass::parse(o.plan));
  const auto make_planned = [=](const Problem& p, const Resources& r) {
    auto plan = asked ? *asked : default_plan<Pass>(ours, p, r);
    change(plan);
    return make_driver<Pass>(ours, p, plan);
  };
  contender.prepare = [=](const Problem& p, const PlainTensors& inputs, const Resources& r) -> Result<PreparedPtr> {
    auto driver = make_planned(p, r);
    if (!driver) return {driver.status(), driver.reason()};
    return prepare_driver<Pass>(ours, inputs, *std::move(driver), implementation);
  };
  if (anothers) return contender;
  contender.plan = [=](const Problem& p, const Resources& r) -> Result<std::string> {
    const auto driver = make_planned(p, r);
    if (!driver) return {driver.status(), driver.reason()};
    return plan_in_words(*driver);
  };
  return contender;
}

template <class Pass>
Contender<typename Pass::Op> planned_loops(Backend backend, const Options& o) {
  const OurBrick ours(backend, o);
  return planned_loops<Pass>(ours.contender<typename Pass::Op>(), ours, o);
}

}  // namespace brickwork
