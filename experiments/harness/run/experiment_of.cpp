#include "experiments/harness/run/experiment_of.hpp"

#include <fmt/ranges.h>

#include "experiments/harness/run/time_budget.hpp"

namespace brickwork::experiment_of {

std::vector<std::string> common_setting(std::vector<std::string> setting, const std::vector<std::string>& another) {
  std::erase_if(setting, [&](const auto& part) { return std::ranges::find(another, part) == another.end(); });
  return setting;
}

namespace {

// Searches are part of the time budget and must leave at least half of it for the samples.
void check_search(const Experiment& experiment, const Options& options) {
  if (!options.plan_search) return;
  std::size_t searches = 0;
  double of_a_problem = 0;
  for (const ContenderInfo& contender : experiment.contenders()) {
    if (!contender.searched_for.empty()) ++searches;
    of_a_problem += contender.search_seconds;
  }
  if (searches == 0) {
    throw std::invalid_argument(
        fmt::format("--plan {}: no contender searches plans of the pass {}; give a plan or print",
                    options.plan_rankings ? "rank" : "search", experiment.pass()));
  }
  if (!options.time_budget) return;
  const double together = of_a_problem * static_cast<double>(experiment.problems().size());
  if (together <= *options.time_budget / 2) return;
  throw std::invalid_argument(
      fmt::format("--plan {} takes {:g} s in all ({} problem{}, {:g} s each), more than half of --time-budget {:g}: "
                  "give it at least {:g} s, or the searches less",
                  options.plan_rankings ? "rank" : "search", together, experiment.problems().size(),
                  experiment.problems().size() == 1 ? "" : "s", of_a_problem, *options.time_budget, 2 * together));
}

}  // namespace

void check_plan(const Experiment& experiment, const Options& options, const std::vector<std::string>& readers) {
  const bool analysed = options.plan_choice != PlanChoice::rule;
  if (options.list || (options.plan.empty() && !options.print_plan && !options.plan_search && !analysed)) return;
  if (analysed && readers.empty()) {
    throw std::invalid_argument(
        fmt::format("--plan analysed and explain: the analysis has no plans of the pass {}; give a plan or print",
                    experiment.pass()));
  }
  if (std::ranges::none_of(experiment.contenders(), [&](const auto& chosen) {
        return std::ranges::find(readers, chosen.name) != readers.end();
      })) {
    throw std::invalid_argument(
        fmt::format("no chosen contender reads --plan: choose one of {}", fmt::join(readers, ", ")));
  }
  check_search(experiment, options);
  if (options.plan.empty()) return;
  std::string reason;
  for (std::size_t i = 0; i < experiment.problems().size(); ++i) {
    for (const auto& [contender, plan] : experiment.plans(i)) {
      if (plan) return;
      if (plan.status() == Status::misfit && reason.empty()) reason = plan.reason();
    }
  }
  if (!reason.empty()) throw std::invalid_argument(fmt::format("--plan fits none of the problems: {}", reason));
}

void check_time_budget(const Experiment& experiment, const Options& options) {
  if (!options.time_budget || options.list || options.check_only || options.print_plan) return;
  const auto here = static_cast<std::size_t>(std::ranges::count_if(
      experiment.contenders(), [](const auto& contender) { return contender.library.absent.empty(); }));
  const double least = TimeBudget::least(options, experiment.problems().size(), here);
  if (least <= *options.time_budget) return;
  throw std::invalid_argument(fmt::format(
      "--time-budget {:g} is too short: {} samples of {:g} s of {} contender{} on {} problem{} take {:.0f} s without "
      "the checks; give it at least that, or take fewer problems or contenders",
      *options.time_budget, std::min(kLeastSamples, options.samples), options.min_time, here, here == 1 ? "" : "s",
      experiment.problems().size(), experiment.problems().size() == 1 ? "" : "s", std::ceil(least)));
}

}  // namespace brickwork::experiment_of
