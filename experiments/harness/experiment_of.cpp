#include "experiment_of.hpp"

#include <fmt/ranges.h>

namespace brickwork::experiment_of {

void check_plan(const Experiment& experiment, const Options& options, const std::vector<std::string>& readers) {
  if (options.list || (options.plan.empty() && !options.print_plan)) return;
  if (std::ranges::none_of(experiment.contenders(), [&](const auto& chosen) {
        return std::ranges::find(readers, chosen.name) != readers.end();
      })) {
    throw std::invalid_argument(
        fmt::format("nobody who was chosen reads --plan: choose one of {}", fmt::join(readers, ", ")));
  }
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

}  // namespace brickwork::experiment_of
