// The part that experiments on different operations share: choosing problems and contenders, loading one problem.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

#include "aligned_buffer.hpp"
#include "experiment.hpp"
#include "machine.hpp"
#include "names.hpp"
#include "options.hpp"
#include "shapes.hpp"

namespace brickwork {

template <class Problem, class Tensors>
using ContenderTable = std::vector<std::unique_ptr<Contender<Problem, Tensors>>>;

template <class Tensors>
struct TestData {
  std::vector<AlignedBuffer<float>> buffers;  // what the tensors point to
  Tensors tensors;
  AlignedBuffer<float> expected;
  std::size_t output_size = 0;
  double tolerance = 0;
};

// Those named on the command line, in the table's order; without names all but `portable`, which is there to be
// right and takes minutes.
template <class Table>
Table choose_contenders(Table table, const std::vector<std::string>& named) {
  std::vector<std::string> known;
  for (const auto& contender : table) known.push_back(contender->name());
  for (const auto& name : named) require_known("contender", name, known);
  std::erase_if(table, [&](const auto& contender) {
    return named.empty() ? contender->name() == "portable" : std::ranges::count(named, contender->name()) == 0;
  });
  return table;
}

// read: (stream, file name) -> problems; parse: text -> problem.
template <class Read, class Parse>
auto choose_problems(const Options& options, const std::string& default_shapes, Read read, Parse parse) {
  using Problem = decltype(parse(std::string()));
  std::vector<Problem> problems;
  if (options.problems.empty()) {
    const auto file = find_shapes(options.shapes.empty() ? default_shapes : options.shapes);
    std::ifstream in(file);
    if (!in) throw std::invalid_argument(fmt::format("the shape file '{}' cannot be read", file.string()));
    problems = read(in, file.string());
    std::vector<std::string> names;
    for (const auto& problem : problems) names.push_back(problem.name);
    for (const auto& layer : options.layers) require_known("layer", layer, names);
    std::erase_if(problems, [&](const Problem& problem) {
      return !options.layers.empty() && std::ranges::count(options.layers, problem.name) == 0;
    });
  }
  for (const auto& text : options.problems) {
    try {
      problems.push_back(parse(text));
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument(fmt::format("--problem \"{}\": {}", text, e.what()));
    }
    problems.back().name = to_string(problems.back());
  }

  const auto memory = static_cast<double>(machine().memory_bytes);
  std::map<std::string, std::string> names;
  for (const auto& problem : problems) {
    const auto [first, is_new] = names.emplace(to_string(problem), problem.name);
    if (!is_new) {
      throw std::invalid_argument(fmt::format("{} and {} are the same problem, {}: give it once, with its count",
                                              first->second, problem.name, first->first));
    }
    // The plain tensors, and a contender's own copy of them.
    if (2 * problem.bytes() > memory) {
      throw std::invalid_argument(fmt::format("{} needs {:.1f} GB, more than the {:.1f} GB of this machine",
                                              problem.name, 2e-9 * problem.bytes(), 1e-9 * memory));
    }
  }
  return problems;
}

// Name and reason why it cannot run here; the reason is empty when it can.
template <class Problem, class Tensors>
auto availability(const ContenderTable<Problem, Tensors>& table, const Problem& plain_problem) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const auto& contender : table) {
    reasons.emplace_back(contender->name(), contender->unsupported(plain_problem, Resources{}).value_or(""));
  }
  return reasons;
}

template <class Problem, class Tensors>
class ExperimentOf : public Experiment {
 public:
  ExperimentOf(std::vector<Problem> problems, ContenderTable<Problem, Tensors> contenders, Resources resources)
      : problems_(std::move(problems)), contenders_(std::move(contenders)), resources_(resources) {
    for (const auto& p : problems_) {
      problem_infos_.push_back({to_string(p), p.name, p.count, size_columns(p), p.flops(), p.least_flops(), p.bytes()});
    }
    for (const auto& c : contenders_) contender_infos_.push_back({c->name(), c->backend(), c->version()});
  }

  const std::vector<ProblemInfo>& problems() const override { return problem_infos_; }
  const std::vector<ContenderInfo>& contenders() const override { return contender_infos_; }

  std::unique_ptr<Workload> load(std::size_t problem, Fill fill) const override {
    // A few outputs behind a ReLU may all be zero, which any broken contender gets right: then draw other inputs.
    for (int seed = 0; seed < 8; ++seed) {
      auto data = make_data(problems_[problem], fill, fmt::format("{} {}", problem_infos_[problem].id, seed));
      if (std::ranges::any_of(data.expected, [](float x) { return x != 0; })) {
        return std::make_unique<LoadedWorkload>(*this, problems_[problem], std::move(data));
      }
    }
    throw std::runtime_error(
        fmt::format("the right output of {} is all zeros: nothing can be checked", problem_infos_[problem].id));
  }

  std::vector<std::pair<std::string, std::string>> plans(std::size_t problem) const override {
    const auto data = empty_data(problems_[problem]);
    std::vector<std::pair<std::string, std::string>> plans;
    for (const auto& contender : contenders_) {
      if (contender->unsupported(problems_[problem], resources_)) continue;
      const auto plan = contender->prepare(problems_[problem], data.tensors, resources_)->plan();
      if (!plan.empty()) plans.emplace_back(contender->name(), plan);
    }
    return plans;
  }

 protected:
  // Deterministic in the seed text.
  virtual TestData<Tensors> make_data(const Problem&, Fill, const std::string& seed) const = 0;
  virtual TestData<Tensors> empty_data(const Problem&) const = 0;  // tensors alone, without values and right answer

 private:
  class LoadedWorkload : public Workload {
   public:
    LoadedWorkload(const ExperimentOf& experiment, const Problem& problem, TestData<Tensors> data)
        : experiment_(experiment), problem_(problem), data_(std::move(data)) {}
    std::optional<std::string> unsupported(std::size_t contender) const override {
      return experiment_.contenders_[contender]->unsupported(problem_, experiment_.resources_);
    }
    std::unique_ptr<Prepared> prepare(std::size_t contender) const override {
      return experiment_.contenders_[contender]->prepare(problem_, data_.tensors, experiment_.resources_);
    }
    std::size_t output_size() const override { return data_.output_size; }
    std::span<const float> expected() const override { return {data_.expected.data(), data_.expected.size()}; }
    double tolerance() const override { return data_.tolerance; }

   private:
    const ExperimentOf& experiment_;
    const Problem& problem_;
    TestData<Tensors> data_;
  };

  std::vector<Problem> problems_;
  ContenderTable<Problem, Tensors> contenders_;
  Resources resources_;
  std::vector<ProblemInfo> problem_infos_;
  std::vector<ContenderInfo> contender_infos_;
};

}  // namespace brickwork
