#include "experiments/harness/terminal/list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "experiments/harness/terminal/screen.hpp"

namespace brickwork {
namespace {

// Who is there is found out by a small problem that everyone takes.
void print_contenders(const Request& request) {
  Options sample = request.options;
  sample.problems = {std::string(request.entry.sample)};
  sample.threads = 1;
  const auto experiment = request.entry.make({request.entry, request.table, sample});
  const auto workload = experiment->load(0, Fill::integers);
  if (!workload) throw std::runtime_error(workload.reason());
  for (std::size_t c = 0; c < experiment->contenders().size(); ++c) {
    const ContenderInfo& contender = experiment->contenders()[c];
    std::string answer;
    if (contender.runs_elsewhere()) {
      answer = "measured in a process of its own, by " + contender.elsewhere->program;
    } else {
      const Verdict verdict = (*workload)->check(c).verdict;
      answer =
          verdict.status == Status::ok ? "available" : fmt::format("{}: {}", to_string(verdict.status), verdict.reason);
    }
    show(fmt::format("  contender {:<20} {}\n", contender.name, answer));
  }
}

}  // namespace

void print_list(std::span<const ExperimentEntry> table, const Options& options) {
  std::vector<ShapeKind> kinds;
  for (const auto& entry : table) {
    kinds.push_back(entry.kind());
    if (!options.experiment.empty() && options.experiment != entry.name) continue;
    show(fmt::format("experiment {}: {}\n", entry.name, entry.about));
    print_contenders({entry, table, options});
  }
  for (const ShapeSet& set : shape_sets(kinds)) {
    constexpr std::size_t shown = 24;
    const auto end = set.layers.begin() + static_cast<std::ptrdiff_t>(std::min(shown, set.layers.size()));
    show(fmt::format("shape set {} ({} {} problems): {}{}\n", set.name, set.layers.size(), set.kind,
                     fmt::join(set.layers.begin(), end, " "), set.layers.size() > shown ? " ..." : ""));
  }
}

}  // namespace brickwork
