#include "experiments/harness/terminal/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "experiments/harness/run/registry.hpp"
#include "experiments/harness/terminal/command_line.hpp"
#include "experiments/harness/terminal/names.hpp"
#include "primitives/planning/machine/machine.hpp"

namespace brickwork {
namespace {

constexpr double kSearchSeconds = 5;

// Of --plan: takes print and search away, which are no plan's text.
void read_plan(Options& o) {
  constexpr std::string_view kSearch = "search";
  constexpr double kLeast = 0.1, kMost = 3600;
  o.print_plan = o.plan == "print";
  if (o.plan == kSearch) {
    o.plan_search = kSearchSeconds;
  } else if (o.plan.starts_with(std::string(kSearch) + ':')) {
    std::string text = o.plan.substr(kSearch.size() + 1);
    if (!seconds(kLeast, kMost)(text).empty()) {
      throw std::invalid_argument(
          fmt::format("--plan {} gives no time in seconds from {} to {} after search:", o.plan, kLeast, kMost));
    }
    o.plan_search = std::stod(text);
  }
  if (o.print_plan || o.plan_search) o.plan.clear();
}

using Table = std::span<const ExperimentEntry>;

std::vector<std::string> names_of(Table table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

// "--minibatch belongs to conv-forward, not to brgemm".
template <class Takes>
void require_taken(bool given, std::string_view option, const ExperimentEntry& entry, Table table, Takes takes) {
  if (!given || takes(entry)) return;
  std::vector<std::string_view> others;
  for (const auto& other : table) {
    if (takes(other)) others.push_back(other.name);
  }
  throw std::invalid_argument(fmt::format("{} belongs to {}, not to {}", option, fmt::join(others, ", "), entry.name));
}

void check_combination(const Options& o, bool threads_given, Table table) {
  if (o.experiment.empty()) {
    if (o.list) return;
    throw std::invalid_argument(
        fmt::format("say what to measure: --experiment {}", fmt::join(names_of(table), " or --experiment ")));
  }
  require_known("experiment", o.experiment, names_of(table));
  const ExperimentEntry& entry = *std::ranges::find(table, o.experiment, &ExperimentEntry::name);
  require_taken(o.minibatch.has_value(), "--minibatch", entry, table, [](const auto& e) { return e.minibatch > 0; });
  require_taken(o.precision != Precision::f32, "--dtype", entry, table, [](const auto& e) { return e.takes_dtype; });
  require_taken(!o.epilogue.empty(), "--epilogue", entry, table, [](const auto& e) { return e.takes_epilogue; });
  require_taken(!o.plan.empty() || o.print_plan || o.plan_search, "--plan", entry, table,
                [](const auto& e) { return e.takes_plan; });
  require_taken(threads_given && o.threads > 1, "--threads above 1", entry, table,
                [](const auto& e) { return e.takes_threads; });
  if (!o.problems.empty() && !o.shapes.empty()) {
    throw std::invalid_argument("--problem and --shapes both name the problems: give one of them");
  }
  if (!o.problems.empty() && !o.layers.empty()) {
    throw std::invalid_argument("--layer chooses from a shape file: it cannot go with --problem");
  }
  if (o.plan_search && o.cold_cache) {
    throw std::invalid_argument("--plan search times plans on hot caches: it cannot go with --cache cold");
  }
  if (o.plan_search && o.check_only) {
    throw std::invalid_argument("--plan search times plans: it cannot go with --check, which times nothing");
  }
}

int default_threads(const Options& o, Table table) {
  const auto entry = std::ranges::find(table, o.experiment, &ExperimentEntry::name);
  return entry != table.end() && entry->takes_threads ? machine().default_threads() : 1;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, Table table) {
  Options o;
  o.command_line = as_typed(argc, argv);
  CLI::App app("Check and time deep-learning primitives built from one kernel, beside the best libraries.",
               "brickwork");

  std::string isa = "best", cache = "hot", dtype = "f32";
  std::int64_t minibatch = 0;
  double time_budget = 0;
  app.add_option("--experiment", o.experiment, fmt::format("What to measure: {}", fmt::join(names_of(table), ", ")))
      ->type_name("NAME");
  app.add_option("--shapes", o.shapes, "Shape file, or the name of a shape set (see --list)")->type_name("FILE|NAME");
  app.add_option("--problem", o.problems, "One problem as text, e.g. \"C64 K256 H56 R1\"; may be repeated")
      ->type_name("TEXT")
      ->expected(1)
      ->take_all();
  app.add_option("--layer", o.layers, "Only these problems of the shape file")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app.add_option("--contenders", o.contenders, "Who is measured (default: all but the slow ones; see --list)")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  auto* threads_option =
      add_threads(app, o.threads,
                  "Threads of every contender (default: all cores that a CPU quota leaves, or 1 of one core's work)");
  auto* minibatch_option =
      app.add_option("--minibatch", minibatch, "Images of a problem that does not say its own (default: 28)")
          ->type_name("COUNT")
          ->check(whole(1, std::int64_t{1} << 40));
  app.add_option(
         "--epilogue", o.epilogue,
         "Fused into the operation: none, bias, bias+residual+relu, residual+drelu, ... (README: which pass has which)")
      ->type_name("TEXT");
  app.add_option("--dtype", dtype, "What is multiplied: f32, tf32, bf16; sums are f32 (default: f32)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"f32", "tf32", "bf16"}));
  app.add_option("--cache", cache, "State of the caches before each run: hot, cold (default: hot)")
      ->type_name("STATE")
      ->check(CLI::IsMember({"hot", "cold"}));
  app.add_option("--samples", o.samples, "Timed samples per contender and problem (default: 51)")
      ->type_name("COUNT")
      ->check(whole(1, 100000));
  app.add_option("--min-time", o.min_time, "Least duration of a sample in seconds (default: 0.002)")
      ->type_name("SECONDS")
      ->check(seconds(1e-6, 3600));
  auto* budget_option = app.add_option("--time-budget", time_budget, "Take fewer samples (at least 3) to end in time")
                            ->type_name("SECONDS")
                            ->check(seconds(1, 1e9));
  add_brick(app, isa, o.tuning_text);
  app.add_option(
         "--plan", o.plan,
         "Our loop plan instead of the planner's; print: print each problem's and exit; search: beside the "
         "planner's measure the best plan that is found in so many seconds a problem and contender (default: 5)")
      ->type_name("TEXT|print|search[:SECONDS]");
  app.add_option("--out", o.out, "Folder of the results (default: results/<UTC time>-<experiment>)")
      ->type_name("FOLDER");
  app.add_flag("--check", o.check_only, "Check correctness only, with a second pass over random floats");
  app.add_flag("--list", o.list, "List experiments, contenders, shape sets and layers, and exit");
  app.add_flag("--turns", o.turns)->group("");  // not of --help: another process of ours gives it

  if (!parse_command_line(app, argc, argv)) return std::nullopt;
  try {
    o.isa = parse_isa(isa);
    o.precision = *std::ranges::find(kPrecisions, dtype, [](Precision p) { return to_string(p); });
    o.cold_cache = cache == "cold";
    if (minibatch_option->count() > 0) o.minibatch = minibatch;
    if (budget_option->count() > 0) o.time_budget = time_budget;
    read_plan(o);
    check_combination(o, threads_option->count() > 0, table);
    if (threads_option->count() == 0) o.threads = default_threads(o, table);
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  return o;
}

}  // namespace brickwork
