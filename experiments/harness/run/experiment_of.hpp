// An experiment on any operation, made from its description (op.hpp) and its contenders.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>

#include "experiments/harness/run/experiment.hpp"
#include "experiments/harness/run/memory_of.hpp"
#include "experiments/harness/run/registry.hpp"
#include "experiments/harness/terminal/names.hpp"
#include "primitives/planning/machine/limits.hpp"

namespace brickwork {

namespace experiment_of {

// The type that the operation names, or that of its first input.
template <Operation Op>
std::string_view dtype(const typename Op::Problem& p) {
  if constexpr (requires { Op::dtype; }) {
    return Op::dtype;
  } else {
    return to_string(Op::inputs(p).front().dtype);
  }
}

// The sizes and words that a shape file or a text does not give.
template <Operation Op>
typename Op::Problem default_problem(const Request& request) {
  typename Op::Problem problem;
  if constexpr (!std::is_null_pointer_v<decltype(Op::images)>) {
    problem.*Op::images = request.options.minibatch.value_or(std::max<std::int64_t>(1, request.entry.minibatch));
  }
  if (!request.options.epilogue.empty()) set_word(problem, "epilogue", request.options.epilogue);
  return problem;
}

// Throws std::invalid_argument with one sentence if a problem is there twice.
template <class Problem>
void check_problems(const std::vector<Problem>& problems) {
  std::map<std::string, std::string> names;
  for (const auto& problem : problems) {
    const auto [first, is_new] = names.emplace(to_string(problem), problem.name);
    if (!is_new) {
      throw std::invalid_argument(fmt::format("{} and {} are the same problem, {}: give it once, with its count",
                                              first->second, problem.name, first->first));
    }
  }
}

template <class Problem>
struct Chosen {
  std::string shapes;  // the set's name
  std::size_t shapes_size = 0;
  std::vector<Problem> problems;
};

// All problems of the shape file.
template <Operation Op>
Chosen<typename Op::Problem> read_shape_file(const Request& request, const typename Op::Problem& defaults) {
  const Options& options = request.options;
  const auto file = find_shapes(options.shapes.empty() ? std::string(request.entry.shapes) : options.shapes);
  std::ifstream in(file);
  if (!in) throw std::invalid_argument(fmt::format("the shape file '{}' cannot be read", file.string()));
  std::vector<ShapeKind> kinds;
  for (const auto& entry : request.table) kinds.push_back(entry.kind());
  Chosen<typename Op::Problem> chosen;
  chosen.problems = read_shapes(in, file.string(), defaults, kinds);
  chosen.shapes = file.stem().string();
  chosen.shapes_size = chosen.problems.size();
  return chosen;
}

template <class Problem>
std::vector<std::string> names_of(const std::vector<Problem>& problems) {
  std::vector<std::string> names;
  for (const auto& problem : problems) names.push_back(problem.name);
  return names;
}

// The problems of the shape file that --layer names, or all.
template <Operation Op>
Chosen<typename Op::Problem> choose_layers(const Request& request, const typename Op::Problem& defaults) {
  auto chosen = read_shape_file<Op>(request, defaults);
  if (request.options.layers.empty()) return chosen;
  const auto known = names_of(chosen.problems);
  std::vector<std::string> wanted;
  for (const auto& layer : request.options.layers) {
    for (auto& name : names_matching("layer", layer, known)) wanted.push_back(std::move(name));
  }
  std::erase_if(chosen.problems, [&](const auto& problem) { return std::ranges::count(wanted, problem.name) == 0; });
  return chosen;
}

template <Operation Op>
typename Op::Problem read_problem(const std::string& text, const typename Op::Problem& defaults) try {
  auto problem = parse_problem(text, defaults);
  check_taken<Op>(problem);
  problem.name = to_string(problem);
  return problem;
} catch (const std::invalid_argument& e) {
  throw std::invalid_argument(fmt::format("--problem \"{}\": {}", text, e.what()));
}

// The problems that --problem gives. --problem takes a text, or a name of the shape file as the screen shows it. If
// all of them are names, they are a choice from the file, as with --layer.
template <Operation Op>
Chosen<typename Op::Problem> choose_given(const Request& request, const typename Op::Problem& defaults) {
  const Options& options = request.options;
  Chosen<typename Op::Problem> chosen, file;
  std::size_t named = 0;
  for (const auto& text : options.problems) {
    std::string not_text;  // why it is none
    try {
      if (options.shapes.empty()) {
        chosen.problems.push_back(read_problem<Op>(text, defaults));
        continue;
      }
    } catch (const std::invalid_argument& e) {
      if (request.entry.shapes.empty()) throw;
      not_text = e.what();
    }
    if (file.problems.empty()) file = read_shape_file<Op>(request, defaults);
    const auto of_file = std::ranges::find(file.problems, text, &Op::Problem::name);
    if (of_file == file.problems.end()) {
      throw std::invalid_argument(
          !not_text.empty() ? not_text
                            : fmt::format("--problem and --shapes both name the problems: give one of them, as '{}' is "
                                          "no name in {}",
                                          text, file.shapes));
    }
    ++named;
    chosen.problems.push_back(*of_file);
  }
  if (named == chosen.problems.size()) {
    chosen.shapes = file.shapes;
    chosen.shapes_size = file.shapes_size;
  }
  return chosen;
}

template <Operation Op>
Chosen<typename Op::Problem> choose_problems(const Request& request) {
  const auto defaults = default_problem<Op>(request);
  auto chosen =
      request.options.problems.empty() ? choose_layers<Op>(request, defaults) : choose_given<Op>(request, defaults);
  if (!chosen.shapes.empty()) {  // texts have been checked
    for (const auto& problem : chosen.problems) {
      try {
        check_taken<Op>(problem);
      } catch (const std::invalid_argument& e) {
        throw std::invalid_argument(fmt::format("{} of {}: {}", problem.name, chosen.shapes, e.what()));
      }
    }
  }
  check_problems(chosen.problems);
  return chosen;
}

// The contenders named on the command line, in the order of the table, each with the one that searches a better plan
// for it. Without names: all that are not slow; with `all`, as for --list, the slow ones, too.
template <Operation Op>
std::vector<Contender<Op>> choose_contenders(std::vector<Contender<Op>> table, const std::vector<std::string>& named,
                                             bool all) {
  std::vector<std::string> known;
  for (const auto& contender : table) known.push_back(contender.name);
  for (const auto& name : named) require_known("contender", name, known);
  std::erase_if(table, [&](const auto& contender) {
    const auto is_named = [&](const std::string& name) { return std::ranges::find(named, name) != named.end(); };
    return named.empty() ? contender.slow && !all : !is_named(contender.name) && !is_named(contender.searched_for);
  });
  return table;
}

// The parts that both settings have. Problems of different minibatches lose that part.
std::vector<std::string> common_setting(std::vector<std::string> setting, const std::vector<std::string>& another);

// Throws std::invalid_argument with one sentence if no chosen contender reads --plan, if the plan fits none of the
// problems, or if there is no time for a search. A plan that fits some problems gives the others rows with the status
// misfit.
void check_plan(const Experiment&, const Options&, const std::vector<std::string>& readers);

// Throws std::invalid_argument with one sentence if even the fewest samples of every contender on every problem take
// longer than --time-budget.
void check_time_budget(const Experiment&, const Options&);

}  // namespace experiment_of

template <Operation Op>
class ExperimentOf final : public Experiment {
 public:
  using Problem = typename Op::Problem;

  // check_only: one contender is prepared at a time, and judged on integers, then on floats. memory_left: in bytes.
  ExperimentOf(
      experiment_of::Chosen<Problem> chosen, std::vector<Contender<Op>> contenders, Resources resources,
      bool check_only = false, std::function<double()> memory_left = [] { return available_memory(); })
      : chosen_(std::move(chosen)),
        contenders_(std::move(contenders)),
        resources_(resources),
        at_once_(check_only
                     ? AtOnce{.contenders = 1, .workloads = 2}
                     : AtOnce{.contenders = std::ranges::count_if(
                                  contenders_, [](const auto& c) { return c.library.absent.empty() && !c.elsewhere; }),
                              .timed = true}),
        memory_left_(std::move(memory_left)) {
    for (const Problem& p : chosen_.problems) {
      problem_infos_.push_back({.id = to_string(p),
                                .name = p.name,
                                .count = p.count,
                                .sizes = size_columns(p),
                                .setting = setting_parts(p),
                                .dtype = std::string(experiment_of::dtype<Op>(p)),
                                .bound = bandwidth_bound<Op>() ? Bound::bytes : Bound::flops,
                                .flop = Op::flops(p),
                                .least_flop = least_flops<Op>(p),
                                .bytes = bytes_of<Op>(p),
                                .bytes_written = bytes_written<Op>(p),
                                .rereads = rereads_of<Op>(p)});
    }
    if (!problem_infos_.empty()) {
      auto setting = problem_infos_.front().setting;
      for (const ProblemInfo& info : problem_infos_) {
        setting = experiment_of::common_setting(std::move(setting), info.setting);
      }
      for (ProblemInfo& info : problem_infos_) info.setting = setting;
    }
    for (const auto& c : contenders_) {
      contender_infos_.push_back(
          {c.name, c.library, c.ours, c.tuned, c.searched_for, c.search_seconds, c.device, c.elsewhere, c.least_share});
    }
  }

  std::string primitive() const override { return std::string(Op::primitive); }
  std::string pass() const override { return std::string(Op::pass); }
  std::string shapes() const override { return chosen_.shapes; }
  std::size_t shapes_size() const override { return chosen_.shapes_size; }
  const std::vector<ProblemInfo>& problems() const override { return problem_infos_; }
  const std::vector<ContenderInfo>& contenders() const override { return contender_infos_; }

  Result<std::unique_ptr<Workload>> load(std::size_t index, Fill fill) const override {
    const Problem& problem = chosen_.problems[index];
    give_back_free_memory();
    // Only before the integers: that estimate includes the floats of --check.
    if (fill == Fill::integers && memory_of<Op>(problem, at_once_) > memory_left_()) {
      return Result<std::unique_ptr<Workload>>::unsupported(needs(problem));
    }
    try {
      auto data = make_checkable_test_data<Op>(problem, fill);
      if constexpr (requires { Op::rounding_of_outputs; }) {
        if (data.tolerance.value > 0) data.tolerance.value += Op::rounding_of_outputs * largest(data.expected);
      }
      return std::unique_ptr<Workload>(std::make_unique<LoadedWorkload>(*this, problem, std::move(data)));
    } catch (const std::bad_alloc&) {
      return Result<std::unique_ptr<Workload>>::unsupported(out_of_memory(problem));
    } catch (const std::invalid_argument& e) {
      return Result<std::unique_ptr<Workload>>::unsupported(e.what());
    }
  }

  std::vector<std::pair<std::string, Result<std::string>>> plans(std::size_t problem) const override {
    std::vector<std::pair<std::string, Result<std::string>>> plans;
    for (const auto& contender : contenders_) {
      if (contender.plan) plans.emplace_back(contender.name, contender.plan(chosen_.problems[problem], resources_));
    }
    return plans;
  }

 private:
  class LoadedWorkload final : public Workload {
   public:
    LoadedWorkload(const ExperimentOf& experiment, const Problem& problem, TestData data)
        : experiment_(experiment), problem_(problem), data_(std::move(data)) {}
    Checked check(std::size_t contender) const override try {
      if (experiment_.at_once_.contenders == 1) give_back_free_memory();
      return brickwork::check(experiment_.contenders_[contender], problem_, data_, experiment_.resources_);
    } catch (const std::bad_alloc&) {
      return {.verdict = {Status::unsupported, experiment_.out_of_memory(problem_), std::nan("")}, .prepared = nullptr};
    }

   private:
    const ExperimentOf& experiment_;
    const Problem& problem_;
    TestData data_;
  };

  std::string needs(const Problem& problem) const {
    return fmt::format("{} needs about {:.3f} GB with {} contender{} at once, and {:.3f} GB are left", problem.name,
                       1e-9 * memory_of<Op>(problem, at_once_), at_once_.contenders,
                       at_once_.contenders == 1 ? "" : "s", 1e-9 * memory_left_());
  }
  std::string out_of_memory(const Problem& problem) const { return "there was not enough memory: " + needs(problem); }

  experiment_of::Chosen<Problem> chosen_;
  std::vector<Contender<Op>> contenders_;
  Resources resources_;
  AtOnce at_once_;
  std::function<double()> memory_left_;
  std::vector<ProblemInfo> problem_infos_;
  std::vector<ContenderInfo> contender_infos_;
};

// Throws std::invalid_argument with one sentence if shapes, problems, layers, contenders, a plan or a time budget are
// wrong.
template <Operation Op>
std::unique_ptr<Experiment> make_experiment(const Request& request, std::vector<Contender<Op>> contenders) {
  const Options& options = request.options;
  std::vector<std::string> readers;  // of --plan
  for (const auto& contender : contenders) {
    const bool analyses = options.plan_choice == PlanChoice::rule || contender.analysed;
    if ((contender.plan || !contender.searched_for.empty()) && analyses) readers.push_back(contender.name);
  }
  auto experiment = std::make_unique<ExperimentOf<Op>>(
      experiment_of::choose_problems<Op>(request),
      experiment_of::choose_contenders(std::move(contenders), options.contenders, options.list),
      Resources{options.threads}, options.check_only || options.list);
  experiment_of::check_plan(*experiment, options, readers);
  experiment_of::check_time_budget(*experiment, options);
  return experiment;
}

}  // namespace brickwork
