#include "experiments/harness/terminal/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "experiments/harness/run/registry.hpp"
#include "experiments/harness/terminal/command_line.hpp"
#include "experiments/harness/terminal/names.hpp"
#include "experiments/harness/terminal/screen.hpp"
#include "primitives/planning/machine/machine.hpp"

namespace brickwork {
namespace {

constexpr double kSearchSeconds = 5;

// Reads "word" or "word:SECONDS"; false if the text is neither.
bool read_search(const std::string& text, std::string_view word, std::optional<double>& search) {
  constexpr double kLeast = 0.1, kMost = 3600;
  if (text != word && !text.starts_with(fmt::format("{}:", word))) return false;
  search = kSearchSeconds;
  if (text == word) return true;
  std::string given = text.substr(word.size() + 1);
  if (!seconds(kLeast, kMost)(given).empty()) {
    throw std::invalid_argument(
        fmt::format("--plan {} gives no time in seconds from {} to {} after {}:", text, kLeast, kMost, word));
  }
  search = std::stod(given);
  return true;
}

// Reads "variants" or "variants:NUMBER".
bool read_variants(const std::string& text, std::int64_t& number) {
  constexpr std::string_view kVariants = "variants";
  constexpr std::int64_t kUsual = 200, kMost = 1'000'000;
  if (text != kVariants && !text.starts_with("variants:")) return false;
  number = kUsual;
  if (text == kVariants) return true;
  std::string given = text.substr(kVariants.size() + 1);
  if (!whole(1, kMost)(given).empty()) {
    throw std::invalid_argument(
        fmt::format("--plan {} gives no whole number from 1 to {} after variants:", text, kMost));
  }
  number = std::stoll(given);
  return true;
}

// The words of --plan that are no text of a plan.
void read_plan(Options& o) {
  if (read_variants(o.plan, o.plan_variants)) o.plan_choice = PlanChoice::variants;
  o.print_plan = o.plan == "print" || o.plan == "explain" || o.plan_variants > 0;
  if (o.plan == "analysed") o.plan_choice = PlanChoice::analysed;
  if (o.plan == "explain") o.plan_choice = PlanChoice::explained;
  o.plan_rankings = read_search(o.plan, "rank", o.plan_search);
  if (!o.plan_rankings) read_search(o.plan, "search", o.plan_search);
  if (o.print_plan || o.plan_search || o.plan_choice != PlanChoice::rule) o.plan.clear();
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

void check_experiment(const Options& o, const ExperimentEntry& entry, Table table) {
  require_taken(o.minibatch.has_value(), "--minibatch", entry, table, [](const auto& e) { return e.minibatch > 0; });
  require_taken(o.precision != Precision::f32, "--dtype", entry, table, [](const auto& e) { return e.takes_dtype; });
  require_taken(!o.epilogue.empty(), "--epilogue", entry, table, [](const auto& e) { return e.takes_epilogue; });
  require_taken(!o.structures.empty(), "--structures", entry, table, [](const auto& e) { return e.takes_structures; });
  require_taken(!o.plan.empty() || o.print_plan || o.plan_search || o.plan_choice != PlanChoice::rule, "--plan", entry,
                table, [](const auto& e) { return e.takes_plan; });
  require_taken(o.threads_given && o.threads > 1, "--threads above 1", entry, table,
                [](const auto& e) { return e.takes_threads; });
}

void check_combination(const Options& o) {
  if (o.experiments.empty() && !o.list) {
    throw std::invalid_argument("say what to measure: --experiment NAME; --list shows all names");
  }
  if (!o.problems.empty() && !o.layers.empty()) {
    throw std::invalid_argument("--layer chooses from a shape file: it cannot go with --problem");
  }
  if (o.plan_search && o.cold_cache) {
    throw std::invalid_argument("--plan search and rank time plans on hot caches: they cannot go with --cache cold");
  }
  if (o.plan_variants > 0 && (o.cold_cache || o.check_only)) {
    throw std::invalid_argument(
        "--plan variants measures plans on hot caches: it cannot go with --check or --cache cold");
  }
  if (o.plan_search && o.check_only) {
    throw std::invalid_argument("--plan search and rank time plans: they cannot go with --check, which times nothing");
  }
  if (o.print_rows && o.experiments.size() > 1) {
    throw std::invalid_argument("--csv and --json print the rows of one experiment: name one, not several");
  }
}

// All that the names and patterns of --experiment ask for, each once.
std::vector<std::string> experiments_asked_for(const std::vector<std::string>& patterns, Table table) {
  std::vector<std::string> experiments;
  for (const auto& pattern : patterns) {
    for (auto& name : names_matching("experiment", pattern, names_of(table))) {
      if (std::ranges::find(experiments, name) == experiments.end()) experiments.push_back(std::move(name));
    }
  }
  return experiments;
}

// A run that only checks keeps no results unless a folder is named.
void read_out(Options& o, bool given) {
  constexpr std::string_view kNone = "none";
  o.keep_nothing = o.out == kNone || (o.check_only && !given);
  if (o.keep_nothing) o.out.clear();
}

void show_examples() {
  show(R"(brickwork checks and times deep-learning primitives built from one kernel, beside the best libraries.

See what there is
  brickwork --list                                      experiments, by primitive, and shape sets
  brickwork --list --experiment conv-forward            its contenders, and why some cannot run here
Measure
  brickwork --experiment conv-forward                   ResNet-50's layers, 28 images, all but the slow one
  brickwork --experiment conv-forward --layer 'layer0?' --minibatch 1 --contenders brickwork-simd,onednn
  brickwork --experiment conv-forward --problem "N2 C64 K256 H56 R3 ph1" --epilogue bias+relu
  brickwork --experiment 'rnn-*,fc-forward' --time-budget 60 --out results/mine
Check only
  brickwork --experiment conv-backward --layer layer04 --check
Use the numbers
  brickwork --experiment brgemm --out none --csv - > rows.csv
  scripts/report results/mine/* --out results/mine
Look at the loops, or search for better ones
  brickwork --experiment conv-forward --layer layer04 --plan print
  brickwork --experiment conv-forward --layer layer04 --plan search:20

brickwork --help explains every option.
)");
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, Table table) {
  if (argc < 2) {
    show_examples();
    return std::nullopt;
  }
  Options o;
  o.command_line = as_typed(argc, argv);
  CLI::App app("Check and time deep-learning primitives built from one kernel, beside the best libraries.",
               "brickwork");

  std::string isa = "best", cache = "hot", dtype = "f32", csv_to, json_to;
  std::vector<std::string> experiments;
  std::int64_t minibatch = 0;
  double time_budget = 0;
  const auto add_names = [&](const char* option, std::vector<std::string>& names, const std::string& about) {
    app.add_option(option, names, about)
        ->type_name("NAME,...")
        ->delimiter(',')
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
  };
  add_names("--experiment", experiments,
            fmt::format("What to measure, * and ? match any text: {}", fmt::join(names_of(table), ", ")));
  app.add_option("--shapes", o.shapes, "Shape file, or the name of a shape set (see --list)")->type_name("FILE|NAME");
  app.add_option("--problem", o.problems,
                 "One problem: a text, e.g. \"C64 K256 H56 R1\", or its name in the shape file; may be repeated")
      ->type_name("TEXT|NAME")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  add_names("--layer", o.layers, "Only these problems of the shape file; * and ? match any text");
  add_names("--contenders", o.contenders,
            "Who is measured (default: all but the slow ones; see --list --experiment NAME)");
  auto* threads_option =
      add_threads(app, o.threads,
                  "Threads of every contender (default: all cores that a CPU quota leaves; 1 for work of one core)");
  auto* minibatch_option =
      app.add_option("--minibatch", minibatch,
                     "Images of a problem that does not say its own (default: the experiment's own; 28 for ResNet-50)")
          ->type_name("COUNT")
          ->check(whole(1, std::int64_t{1} << 40));
  app.add_option("--epilogue", o.epilogue,
                 "Fused into the operation: none, bias, bias+residual+relu, residual+drelu, ... "
                 "(experiments/operations/README.md says which pass has which)")
      ->type_name("TEXT");
  app.add_option("--structures", o.structures,
                 "A file of trees, one a line: parent pointers or brackets; for problems with the word file, such as "
                 "\"tree-lstm file H256 N10\"")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  app.add_option("--dtype", dtype, "What is multiplied: f32, tf32, bf16; sums are f32 (default: f32)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"f32", "tf32", "bf16"}));
  app.add_option("--cache", cache, "State of the caches before each call: hot, cold (default: hot)")
      ->type_name("STATE")
      ->check(CLI::IsMember({"hot", "cold"}));
  app.add_option("--samples", o.samples, "Timed samples per contender and problem (default: 51)")
      ->type_name("COUNT")
      ->check(whole(1, 100000));
  app.add_option("--min-time", o.min_time, "Shortest duration of a sample in seconds (default: 0.002)")
      ->type_name("SECONDS")
      ->check(seconds(1e-6, 3600));
  auto* budget_option = app.add_option("--time-budget", time_budget,
                                       "Take fewer samples, at least 3, to end in this time; refused if that cannot do")
                            ->type_name("SECONDS")
                            ->check(seconds(1, 1e9));
  add_brick(app, isa, o.tuning_text);
  app.add_option(
         "--plan", o.plan,
         "Our loop plan instead of the planner's; print: print each problem's plan and exit; analysed: the plan "
         "by analysis of the loops; explain: print that plan and its reasons; search: measure the best plan "
         "found in this time for each problem and contender (default: 5), beside the planner's; rank: also "
         "the plan that each ranking of the analysis picks; variants: measure this many variants, print them as CSV "
         "and "
         "exit (default: 200)")
      ->type_name("TEXT|print|analysed|explain|search[:SECONDS]|rank[:SECONDS]|variants[:NUMBER]");
  auto* out_option = app.add_option("--out", o.out,
                                    "Folder of the results, with a folder in it for each of several experiments; none: "
                                    "keep nothing (default: results/<UTC time>-<experiment>, with --check none)")
                         ->type_name("FOLDER|none");
  auto* csv_option = app.add_option("--csv", csv_to,
                                    "-: print the rows of samples.csv on standard output, and all else on "
                                    "standard error")
                         ->type_name("-")
                         ->check(CLI::IsMember({"-"}));
  app.add_option("--json", json_to, "-: the same rows as one JSON array of objects")
      ->type_name("-")
      ->check(CLI::IsMember({"-"}))
      ->excludes(csv_option);
  app.add_flag("--brief", o.brief, "Show one line for the whole experiment");
  app.add_flag("--check", o.check_only, "Check correctness only, with a second pass over random floats");
  app.add_flag("--list", o.list, "List experiments by primitive, contenders and shape sets, and exit");
  app.add_flag("--turns", o.turns)->group("");  // hidden: another of our programs gives it

  if (!parse_command_line(app, argc, argv)) return std::nullopt;
  try {
    o.isa = parse_isa(isa);
    o.precision = *std::ranges::find(kPrecisions, dtype, [](Precision p) { return to_string(p); });
    o.cold_cache = cache == "cold";
    o.threads_given = threads_option->count() > 0;
    if (minibatch_option->count() > 0) o.minibatch = minibatch;
    if (budget_option->count() > 0) o.time_budget = time_budget;
    if (!csv_to.empty()) o.print_rows = RowFormat::as_csv;
    if (!json_to.empty()) o.print_rows = RowFormat::as_json;
    read_out(o, out_option->count() > 0);
    read_plan(o);
    o.experiments = experiments_asked_for(experiments, table);
    check_combination(o);
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  for (const auto& experiment : o.experiments) options_of(o, experiment, table);
  return o.experiments.empty() ? o : options_of(o, o.experiments.front(), table);
}

Options options_of(const Options& all, const std::string& experiment, Table table) {
  Options o = all;
  o.experiment = experiment;
  const ExperimentEntry& entry = *std::ranges::find(table, experiment, &ExperimentEntry::name);
  try {
    check_experiment(o, entry, table);
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  if (!o.threads_given) o.threads = entry.takes_threads ? machine().default_threads() : 1;
  return o;
}

}  // namespace brickwork
