#include "experiments/learning/learn_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "experiments/harness/terminal/command_line.hpp"
#include "experiments/harness/terminal/names.hpp"
#include "primitives/planning/machine/machine.hpp"

namespace brickwork {

std::optional<LearnOptions> parse_learn_options(int argc, char** argv) {
  LearnOptions o;
  o.run.command_line = as_typed(argc, argv);
  o.run.threads = machine().default_threads();
  std::vector<std::string> names;
  for (const LearningTask& task : learning_tasks()) names.emplace_back(task.name);

  CLI::App app("Trains a network on a small task with our primitives alone, and tests what it has learned.", "learn");
  std::string task, isa = "best";
  int epochs = 0;
  app.add_option("--task", task, fmt::format("What to learn: {}", fmt::join(names, ", ")))->type_name("NAME");
  app.add_option("--data", o.data,
                 "Data of the task: a CSV file of scripts/export_digits.py for digits-*, a text for characters, "
                 "what brickwork --plan variants prints for plan-ranking")
      ->type_name("FILE");
  add_threads(app, o.run.threads, "Threads (default: all cores that a CPU quota leaves)");
  app.add_option("--seed", o.seed, "Seed of all random numbers (default: 1)")
      ->type_name("NUMBER")
      ->check(whole(0, std::numeric_limits<std::uint32_t>::max()));
  auto* epochs_option = app.add_option("--epochs", epochs, "Number of epochs (default: the task's)")
                            ->type_name("COUNT")
                            ->check(whole(1, 100000));
  add_brick(app, isa, o.run.tuning_text);
  app.add_option("--out", o.run.out, "Folder of the results (default: results/<UTC time>-<task>)")->type_name("FOLDER");
  app.add_flag("--brief", o.run.brief, "Show one line for the whole training");
  if (!parse_command_line(app, argc, argv)) return std::nullopt;
  try {
    if (task.empty()) {
      throw std::invalid_argument(fmt::format("say what to learn: --task {}", fmt::join(names, " or --task ")));
    }
    require_known("task", task, names);
    o.task = *std::ranges::find(learning_tasks(), task, &LearningTask::name);
    if (o.data.empty() && !o.task.data.empty()) {
      throw std::invalid_argument(fmt::format("{} learns from {}: --data FILE", task, o.task.data));
    }
    if (!o.data.empty() && o.task.data.empty()) {
      throw std::invalid_argument(fmt::format("{} makes its {} itself: leave --data out", task, o.task.examples));
    }
    if (epochs_option->count() > 0) o.task.epochs = epochs;
    o.run.isa = parse_isa(isa);
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  return o;
}

}  // namespace brickwork
