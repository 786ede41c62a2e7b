// Plans by analysis: `--plan analysed`, `--plan explain`, and a contender for each ranking (`--plan rank`).
//
// Beside what our_loops.hpp asks for, a Pass has
//
//   static PlanVariants<Plan> variants(problem of the driver, const MachineModel&, Backend);
//   static PlanRuns<Plan> runs(problem of the driver, const RunSetting&, SharedTensors&);
#pragma once
#include <algorithm>
#include <chrono>
#include <random>

#include "experiments/harness/process/interrupt.hpp"
#include "experiments/harness/rows/csv_writer.hpp"
#include "experiments/operations/ours/our_loops.hpp"
#include "experiments/search/conv_runs.hpp"
#include "experiments/search/plan_search.hpp"
#include "experiments/search/plan_sweep.hpp"
#include "primitives/planning/variants/explain.hpp"
#include "primitives/planning/variants/plan_variants.hpp"
#include "primitives/planning/variants/variant_columns.hpp"

namespace brickwork {

template <class Plan>
struct TimedPlan {
  Plan plan;
  double seconds;  // that the choice took
  std::string how;
};

inline double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A problem's variants in the order of a ranking.
template <class Pass>
struct RankedPlans {
  PlanVariants<typename Pass::Plan> found;
  std::vector<std::size_t> order;
  CacheHierarchy caches;

  RankedPlans(const OurBrick& ours, const typename Pass::Op::Problem& p, const Resources& r, const Ranking& ranking)
      : RankedPlans(ours, p, this_machine(r.threads, ours.tuning()), ranking) {}
  RankedPlans(const OurBrick& ours, const typename Pass::Op::Problem& p, const MachineModel& machine,
              const Ranking& ranking)
      : found(Pass::variants(Pass::problem(p), machine, ours.backend())), caches(machine.caches()) {
    order = ranked(ranking, found.variants, caches);
  }

  // The first `count` plans that the driver takes.
  std::vector<typename Pass::Plan> first(const OurBrick& ours, const typename Pass::Op::Problem& p,
                                         std::size_t count) const {
    std::vector<typename Pass::Plan> plans;
    for (const std::size_t i : order) {
      if (plans.size() == count) break;
      if (make_driver<Pass>(ours, p, found.plans[i])) plans.push_back(found.plans[i]);
    }
    return plans;
  }
};

template <class Pass>
Result<std::string> explanation_of(const RankedPlans<Pass>& plans, const Ranking& ranking) {
  constexpr std::size_t kShown = 6;
  if (plans.order.empty()) return Result<std::string>::unsupported("the analysis has no variant for this problem");
  std::vector<ExplainedVariant> shown;
  for (std::size_t i = 0; i < std::min(kShown, plans.order.size()); ++i) {
    const std::size_t at = plans.order[i];
    shown.push_back({to_string(plans.found.plans[at]), &plans.found.variants[at]});
  }
  return explanation(shown, plans.order.size(), plans.caches, ranking.name);
}

template <class Pass>
TimedPlan<typename Pass::Plan> analysed_plan(const OurBrick& ours, const typename Pass::Op::Problem& p,
                                             const Resources& r, const Ranking& ranking) {
  const auto start = std::chrono::steady_clock::now();
  const auto plans = RankedPlans<Pass>(ours, p, r, ranking).first(ours, p, 1);
  if (!plans.empty()) return {plans.front(), since(start), fmt::format("first of the ranking {}", ranking.name)};
  return {default_plan<Pass>(ours, p, r), since(start), "the default, as the analysis has no variant for this problem"};
}

// Measures plans for some seconds: the first one, and all neighbours of the best.
template <class Pass>
TimedPlan<typename Pass::Plan> best_of(
    const OurBrick& ours, const typename Pass::Op::Problem& p, double seconds, const typename Pass::Plan& first,
    std::function<std::vector<typename Pass::Plan>(const typename Pass::Plan&)> next) {
  const auto start = std::chrono::steady_clock::now();
  SharedTensors tensors;
  const auto runs =
      Pass::runs(Pass::problem(p), {.backend = ours.backend(), .isa = ours.isa(), .tuning = ours.tuning()}, tensors);
  const auto found = PlanSearch<typename Pass::Plan>({std::move(next), runs, [&] { tensors.forget(); }},
                                                     {seconds, steady_race_clock, interrupted})
                         .run(first);
  return {found.plan, since(start), fmt::format("the best of {} plans", found.tried + 1)};
}

template <class Pass>
using ChoosePlan = std::function<TimedPlan<typename Pass::Plan>(const typename Pass::Op::Problem&, const Resources&)>;

// A contender that runs another plan of ours than the default one.
template <class Pass>
Contender<typename Pass::Op> with_other_plan(const OurBrick& ours, const std::string& suffix, double search_seconds,
                                             const ChoosePlan<Pass>& choose) {
  auto contender = ours.contender<typename Pass::Op>();
  contender.searched_for = contender.name;
  contender.search_seconds = search_seconds;
  contender.name += '-' + suffix;
  contender.prepare = [=](const typename Pass::Op::Problem& p, const PlainTensors& inputs,
                          const Resources& r) -> Result<PreparedPtr> {
    const auto usual = default_plan<Pass>(ours, p, r);
    if (const auto driver = make_driver<Pass>(ours, p, usual); !driver) return {driver.status(), driver.reason()};
    const auto chosen = choose(p, r);
    auto driver = *make_driver<Pass>(ours, p, chosen.plan);
    // With the default plan itself it is the same program, and the report counts a difference as noise
    // (plots/derive.py).
    const std::string implementation = chosen.plan == usual ? kOurLoops : fmt::format("{}, {}", kOurLoops, chosen.how);
    return prepare_driver<Pass>(ours, inputs, std::move(driver), implementation, chosen.seconds);
  };
  return contender;
}

// Measured variants, drawn at random, as lines of a CSV file.
template <class Pass>
std::string measured_variants(const OurBrick& ours, const typename Pass::Op::Problem& p, const Resources& r,
                              std::int64_t most) {
  RankedPlans<Pass> all(ours, p, r, best_ranking());
  place_working_sets(all.found.variants, all.caches);
  std::ranges::shuffle(all.order, std::mt19937(1));
  all.order.resize(std::min(all.order.size(), static_cast<std::size_t>(most)));
  std::vector<typename Pass::Plan> plans;
  for (const std::size_t i : all.order) plans.push_back(all.found.plans[i]);
  SharedTensors tensors;
  const auto seconds = sweep_plans<typename Pass::Plan>(
      plans, Pass::runs(Pass::problem(p), {ours.backend(), ours.isa(), ours.tuning()}, tensors), steady_race_clock,
      interrupted);
  std::string lines;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!seconds[i]) continue;
    std::vector<std::string> cells{std::string(Pass::Op::pass), to_string(p), to_string(plans[i])};
    for (std::string& cell : fact_cells(all.found.variants[all.order[i]].facts)) cells.push_back(std::move(cell));
    cells.push_back(fmt::format("{:.6g}", *seconds[i]));
    lines += csv_line(cells);
  }
  return lines;
}

// `--plan analysed`, `--plan explain` and `--plan variants`: our contender with the first plan of the best ranking.
template <class Pass>
Contender<typename Pass::Op> analysed_loops(Backend backend, const Options& o) {
  const OurBrick ours(backend, o);
  const Ranking& ranking = best_ranking();
  auto contender = ours.contender<typename Pass::Op>();
  contender.analysed = true;
  contender.prepare = [=, &ranking](const typename Pass::Op::Problem& p, const PlainTensors& inputs,
                                    const Resources& r) -> Result<PreparedPtr> {
    const auto chosen = analysed_plan<Pass>(ours, p, r, ranking);
    auto driver = make_driver<Pass>(ours, p, chosen.plan);
    if (!driver) return {driver.status(), driver.reason()};
    return prepare_driver<Pass>(ours, inputs, *std::move(driver), fmt::format("{}, {}", kOurLoops, chosen.how),
                                chosen.seconds);
  };
  contender.plan = [=, &ranking, choice = o.plan_choice, variants = o.plan_variants](
                       const typename Pass::Op::Problem& p, const Resources& r) -> Result<std::string> {
    if (choice == PlanChoice::variants) return measured_variants<Pass>(ours, p, r, variants);
    if (choice == PlanChoice::analysed) return to_string(analysed_plan<Pass>(ours, p, r, ranking).plan);
    return explanation_of(RankedPlans<Pass>(ours, p, r, ranking), ranking);
  };
  return contender;
}

// What a search tries next: a plan's neighbours if the pass knows them, or else all variants, the best of the ranking
// first.
template <class Pass>
std::function<std::vector<typename Pass::Plan>(const typename Pass::Plan&)> neighbours_of(
    const OurBrick& ours, const typename Pass::Op::Problem& p, const Resources& r) {
  using Plan = typename Pass::Plan;
  if constexpr (requires(const Plan& plan) { Pass::neighbours(Pass::problem(p), plan); }) {
    return [p](const Plan& plan) { return Pass::neighbours(Pass::problem(p), plan); };
  } else {
    const RankedPlans<Pass> plans(ours, p, r, best_ranking());
    std::vector<Plan> in_order;
    for (const std::size_t i : plans.order) in_order.push_back(plans.found.plans[i]);
    return [in_order](const Plan&) { return in_order; };
  }
}

// Searches for a plan that is faster than the default one.
template <class Pass>
Contender<typename Pass::Op> searched_loops(const OurBrick& ours, double seconds) {
  return with_other_plan<Pass>(ours, "searched", seconds, [=](const auto& p, const Resources& r) {
    return best_of<Pass>(ours, p, seconds, default_plan<Pass>(ours, p, r), neighbours_of<Pass>(ours, p, r));
  });
}

// The best of the first 5 % of a ranking.
template <class Pass>
Contender<typename Pass::Op> top_of_ranking(const OurBrick& ours, double seconds, const Ranking& ranking) {
  return with_other_plan<Pass>(
      ours, fmt::format("{}-top", ranking.name), seconds, [=, &ranking](const auto& p, const Resources& r) {
        constexpr std::size_t kShare = 20;
        const RankedPlans<Pass> plans(ours, p, r, ranking);
        const auto top = plans.first(ours, p, std::max<std::size_t>(1, plans.order.size() / kShare));
        if (top.empty()) return analysed_plan<Pass>(ours, p, r, ranking);
        return best_of<Pass>(ours, p, seconds, top.front(), [top](const auto&) { return top; });
      });
}

// The best of plans drawn at random.
template <class Pass>
Contender<typename Pass::Op> random_search(const OurBrick& ours, double seconds) {
  return with_other_plan<Pass>(ours, "random", seconds, [=](const auto& p, const Resources& r) {
    const Ranking& any = rankings().front();
    auto plans = RankedPlans<Pass>(ours, p, r, any).found.plans;
    if (plans.empty()) return analysed_plan<Pass>(ours, p, r, any);
    std::ranges::shuffle(plans, std::mt19937(1));
    const auto first =
        std::ranges::find_if(plans, [&](const auto& plan) { return bool(make_driver<Pass>(ours, p, plan)); });
    if (first == plans.end()) return analysed_plan<Pass>(ours, p, r, any);
    return best_of<Pass>(ours, p, seconds, *first, [plans](const auto&) { return plans; });
  });
}

// The contenders that --plan search or --plan rank adds.
template <class Pass>
void add_other_plans(std::vector<Contender<typename Pass::Op>>& contenders, Backend backend, const Options& o) {
  if (!o.plan_search || o.list) return;
  const OurBrick ours(backend, o);
  contenders.push_back(searched_loops<Pass>(ours, *o.plan_search));
  if (!o.plan_rankings || backend != Backend::simd) return;
  contenders.push_back(random_search<Pass>(ours, *o.plan_search));
  for (const Ranking& ranking : rankings()) {
    contenders.push_back(with_other_plan<Pass>(
        ours, std::string(ranking.name), 0,
        [=, &ranking](const auto& p, const Resources& r) { return analysed_plan<Pass>(ours, p, r, ranking); }));
    contenders.push_back(top_of_ranking<Pass>(ours, *o.plan_search, ranking));
  }
}

}  // namespace brickwork
