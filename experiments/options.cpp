#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <span>
#include <stdexcept>

#include "build_info.hpp"
#include "experiments.hpp"
#include "names.hpp"

namespace brickwork {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) names.push_back("--" + option->get_lnames().front());
  return names;
}

void check_combination(const Options& o) {
  if (o.experiment.empty()) {
    if (o.list) return;
    throw std::invalid_argument(
        fmt::format("say what to measure: --experiment {}", fmt::join(experiment_names(), " or --experiment ")));
  }
  require_known("experiment", o.experiment, experiment_names());
  if (o.experiment == "brgemm") {
    if (o.minibatch) throw std::invalid_argument("--minibatch belongs to --experiment conv-forward: brgemm has m");
    if (o.epilogue.any()) throw std::invalid_argument("--epilogue belongs to --experiment conv-forward");
    if (!o.plan.empty() || o.print_plan) throw std::invalid_argument("--plan belongs to --experiment conv-forward");
    if (o.threads > 1) throw std::invalid_argument("--experiment brgemm measures one core: leave --threads at 1");
  }
  if (!o.problems.empty() && !o.shapes.empty()) {
    throw std::invalid_argument("--problem and --shapes both name the problems: give one of them");
  }
  if (!o.problems.empty() && !o.layers.empty()) {
    throw std::invalid_argument("--layer chooses from a shape file: it cannot go with --problem");
  }
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  o.command_line = fmt::format("{}", fmt::join(std::span(argv, static_cast<std::size_t>(argc)), " "));
  CLI::App app("Check and time deep-learning primitives built from one kernel, beside the best libraries.",
               "brickwork");
  app.allow_extras();  // so that the message below can name the closest option
  app.get_formatter()->column_width(34);
  app.set_version_flag("--version", std::string(build_info::version));

  std::string epilogue = "none", isa = "best", cache = "hot";
  std::int64_t minibatch = 28;
  double time_budget = 0;
  app.add_option("--experiment", o.experiment, fmt::format("What to measure: {}", fmt::join(experiment_names(), ", ")))
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
  app.add_option("--contenders", o.contenders, "Who is measured (default: all but portable; see --list)")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app.add_option("--threads", o.threads, "Threads of every contender (default: all cores; brgemm: 1)")
      ->type_name("COUNT")
      ->check(CLI::Range(1, omp_get_num_procs()));
  auto* minibatch_option = app.add_option("--minibatch", minibatch, "Images of a convolution (default: 28)")
                               ->type_name("COUNT")
                               ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  app.add_option("--epilogue", epilogue, "Fused into a convolution: none, bias, bias+relu, bias+residual+relu, ...")
      ->type_name("TEXT");
  app.add_option("--cache", cache, "State of the caches before each run: hot, cold (default: hot)")
      ->type_name("STATE")
      ->check(CLI::IsMember({"hot", "cold"}));
  app.add_option("--samples", o.samples, "Timed samples per contender and problem (default: 11)")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 100000));
  app.add_option("--min-time", o.min_time, "Least duration of a sample in seconds (default: 0.02)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1e-6, 3600.0));
  auto* budget_option = app.add_option("--time-budget", time_budget, "Take fewer samples (at least 3) to end in time")
                            ->type_name("SECONDS")
                            ->check(CLI::Range(1.0, 1e9));
  app.add_option("--isa", isa, "Instruction set of our simd kernel: best, avx2, avx512, neon (default: best)")
      ->type_name("NAME");
  app.add_option("--plan", o.plan, "Our loop plan instead of the planner's, or print: print each problem's and exit")
      ->type_name("TEXT|print");
  app.add_option("--out", o.out, "Folder of the results (default: results/<UTC time>-<experiment>)")
      ->type_name("FOLDER");
  app.add_flag("--check", o.check_only, "Check correctness only, with a second pass over random floats");
  app.add_flag("--list", o.list, "List experiments, contenders, shape sets and layers, and exit");

  try {
    app.parse(argc, argv);
    if (!app.remaining().empty()) {
      const std::string word = app.remaining().front();
      throw UsageError{
          word.starts_with('-')
              ? fmt::format("unknown option '{}'; the closest is '{}'; --help shows all of them", word,
                            closest_name(word, option_names(app)))
              : fmt::format("unexpected argument '{}': every setting has a named option, see --help", word)};
    }
    o.epilogue = parse_conv_epilogue(epilogue);
    o.isa = parse_isa(isa);
    o.cold_cache = cache == "cold";
    if (minibatch_option->count() > 0) o.minibatch = minibatch;
    if (budget_option->count() > 0) o.time_budget = time_budget;
    o.print_plan = o.plan == "print";
    if (o.print_plan) o.plan.clear();
    check_combination(o);
  } catch (const CLI::Success& help_or_version) {
    app.exit(help_or_version);
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    throw UsageError{e.what()};
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  return o;
}

}  // namespace brickwork
