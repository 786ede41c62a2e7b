#include "experiments/harness/terminal/list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "experiments/harness/terminal/screen.hpp"

namespace brickwork {
namespace {

// Whether each contender can run, found by a small problem that all of them take.
struct Answers {
  struct Answer {
    std::string contender, text;  // text: "available", or why not
    bool available = false;
  };
  std::string primitive;
  std::vector<Answer> contenders;
  bool none_available() const { return std::ranges::none_of(contenders, &Answer::available); }
};

Answers ask_contenders(const Request& all) {
  Options options = all.options;
  options.problems = {std::string(all.entry.sample)};
  options.shapes.clear();
  options.layers.clear();
  options.contenders.clear();
  options.threads = 1;
  const auto experiment = all.entry.make({all.entry, all.table, options});
  const auto workload = experiment->load(0, Fill::integers);
  if (!workload) throw std::runtime_error(workload.reason());
  Answers answers{.primitive = experiment->primitive(), .contenders = {}};
  for (std::size_t c = 0; c < experiment->contenders().size(); ++c) {
    const ContenderInfo& contender = experiment->contenders()[c];
    if (contender.runs_elsewhere()) {
      answers.contenders.push_back(
          {contender.name, "measured in a process of its own, by " + contender.elsewhere->program, true});
      continue;
    }
    const Verdict verdict = (*workload)->check(c).verdict;
    const bool available = verdict.status == Status::ok;
    answers.contenders.push_back(
        {contender.name, available ? "available" : fmt::format("{}: {}", to_string(verdict.status), verdict.reason),
         available});
  }
  return answers;
}

void print_contenders(const ExperimentEntry& entry, const Answers& answers) {
  show(fmt::format("{}: {}\n", entry.name, entry.about));
  for (const auto& [contender, text, available] : answers.contenders)
    show(fmt::format("  {:<26} {}\n", contender, text));
}

// Experiments that cannot run here have the number of the reason, which is printed once at the end.
class Reasons {
 public:
  std::size_t number(const std::string& reason) {
    const auto found = std::ranges::find(reasons_, reason);
    const auto place = static_cast<std::size_t>(found - reasons_.begin());
    if (found == reasons_.end()) reasons_.push_back(reason);
    return place + 1;
  }
  void print() const {
    for (std::size_t i = 0; i < reasons_.size(); ++i) show(fmt::format("({}) not here: {}\n", i + 1, reasons_[i]));
  }

 private:
  std::vector<std::string> reasons_;
};

// The reason for the first contender stands for all: it is the machine or the build that lacks something.
void print_experiment(const ExperimentEntry& entry, const Answers& answers, Reasons& reasons) {
  if (answers.none_available()) {
    const std::size_t number = reasons.number(answers.contenders.front().text);
    show(fmt::format("  {:<24} {} ({})\n", entry.name, entry.about, number));
  } else {
    show(fmt::format("  {:<24} {}\n", entry.name, entry.about));
    show(fmt::format("  {:24}   shapes {}; or one problem: --problem \"{}\"\n", "", entry.shapes, entry.sample));
  }
}

void print_shape_sets(std::span<const ExperimentEntry> table) {
  std::vector<ShapeKind> kinds;
  for (const auto& entry : table) kinds.push_back(entry.kind());
  show("shape sets\n");
  for (const ShapeSet& set : shape_sets(kinds)) {
    constexpr std::size_t shown = 4;
    if (set.layers.size() <= shown) {
      show(fmt::format("  {:<24} {} {} problems: {}\n", set.name, set.layers.size(), set.kind,
                       fmt::join(set.layers, " ")));
    } else {
      show(fmt::format("  {:<24} {} {} problems: {} {} ... {}\n", set.name, set.layers.size(), set.kind, set.layers[0],
                       set.layers[1], set.layers.back()));
    }
  }
}

}  // namespace

void print_list(std::span<const ExperimentEntry> table, const Options& options) {
  if (!options.experiments.empty()) {
    for (const auto& entry : table) {
      if (std::ranges::count(options.experiments, entry.name) == 0) continue;
      print_contenders(entry, ask_contenders({entry, table, options}));
    }
    return;
  }
  std::vector<std::string> primitives;  // as they first appear
  std::map<std::string, std::vector<std::pair<const ExperimentEntry*, Answers>>> of_primitive;
  for (const auto& entry : table) {
    Answers answers = ask_contenders({entry, table, options});
    auto& group = of_primitive[answers.primitive];
    if (group.empty()) primitives.push_back(answers.primitive);
    group.emplace_back(&entry, std::move(answers));
  }
  Reasons reasons;
  for (const auto& primitive : primitives) {
    show(fmt::format("{}\n", primitive));
    auto& group = of_primitive.at(primitive);
    std::ranges::stable_partition(group, [](const auto& listed) { return !listed.second.none_available(); });
    for (const auto& [entry, answers] : group) print_experiment(*entry, answers, reasons);
  }
  reasons.print();
  print_shape_sets(table);
  show("--list --experiment NAME lists the contenders of an experiment\n");
}

}  // namespace brickwork
