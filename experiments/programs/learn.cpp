// The program learn: trains a network with our primitives alone and writes its loss and accuracy after every epoch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "experiments/harness/process/bind_threads.hpp"
#include "experiments/harness/process/clock.hpp"
#include "experiments/harness/process/interrupt.hpp"
#include "experiments/harness/process/program.hpp"
#include "experiments/harness/process/threads.hpp"
#include "experiments/harness/rows/csv_writer.hpp"
#include "experiments/harness/rows/environment.hpp"
#include "experiments/harness/terminal/progress.hpp"
#include "experiments/harness/terminal/screen.hpp"
#include "experiments/learning/learn_options.hpp"
#include "experiments/operations/ours/choose_tuning.hpp"
#include "primitives/op/kokkos_scope.hpp"
#include "primitives/planning/machine/machine.hpp"
#include "primitives/planning/machine_model.hpp"

using namespace brickwork;

namespace {

const std::vector<std::string> kColumns{
    "task",    "contender", "threads",          "seed",  "epochs", "examples",      "trained_on",   "tested_on",
    "measure", "baseline",  "baseline_measure", "epoch", "loss",   "train_measure", "test_measure", "seconds"};

LearnerPtr begin(const LearnOptions& options) {
  const SimdTuning& tuning = options.run.tuning;
  return options.task.begin(
      {.data = options.data,
       .epochs = options.task.epochs,
       .seed = options.seed,
       .brick = {this_machine(machine().usable_cores, tuning), Backend::simd, options.run.isa, tuning}});
}

ExitCode train(const LearnOptions& options, Learner& learner, CsvWriter& csv, const std::filesystem::path& folder) {
  const LearningTask& task = options.task;
  const auto text = [](const auto& number) { return fmt::format("{}", number); };
  const double baseline = learner.baseline(), began = steady_seconds();
  const int shown_each = std::max(1, task.epochs / 5);  // all epochs are in the table
  double tested = 0;
  for (int epoch = 1; epoch <= task.epochs; ++epoch) {
    const double start = steady_seconds();
    const Epoch trained = learner.epoch();
    const double seconds = steady_seconds() - start;
    tested = learner.test();
    csv.write_line({task.name, "brickwork-simd", text(options.run.threads), text(options.seed), text(task.epochs),
                    task.examples, text(learner.trained_on()), text(learner.tested_on()), task.measure, task.baseline,
                    text(baseline), text(epoch), text(trained.loss), text(trained.measure), text(tested),
                    text(seconds)});
    csv.flush();
    const bool shown = epoch == 1 || epoch % shown_each == 0 || epoch == task.epochs;
    if (shown && !options.run.brief) {
      show(fmt::format("epoch {:3}/{}  loss {:.4f}  {} in training {:.4f}, on the test {} {:.4f}  {:.3f} s\n", epoch,
                       task.epochs, trained.loss, task.measure, trained.measure, task.examples, tested, seconds));
    }
    if (!std::isfinite(trained.loss)) throw std::runtime_error("the loss is not a number any more: training diverges");
    if (interrupted()) {
      show("interrupted: what was finished is kept\n");
      return exit_interrupted;
    }
  }
  const std::string told = learner.finish(folder);
  if (options.run.brief) {
    show(fmt::format("{} in {}: {} on the test {} {:.4f}; {} has {:.4f}\n", task.name,
                     clock_text(steady_seconds() - began), task.measure, task.examples, tested, task.baseline,
                     baseline));
  } else {
    show(fmt::format("{} has {:.4f}\n{}", task.baseline, baseline, told));
  }
  return exit_ok;
}

ExitCode run(LearnOptions options) {
  LearnerPtr learner;
  try {
    choose_tuning(options.run);
    learner = begin(options);
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  const LearningTask& task = options.task;
  const std::filesystem::path folder =
      options.run.out.empty() ? std::filesystem::path("results") / fmt::format("{}-{}", utc_timestamp(), task.name)
                              : std::filesystem::path(options.run.out);
  make_folder(folder);
  CsvWriter csv(folder / "learning.csv", kColumns);
  EnvironmentRecord environment(folder / "environment.json", options.run, {});
  if (!options.run.brief) {
    show(fmt::format("{}: {}; {} {} to train on, {} to test on; {} thread{}, seed {}\n", task.name, task.about,
                     learner->trained_on(), task.examples, learner->tested_on(), options.run.threads,
                     options.run.threads == 1 ? "" : "s", options.seed));
  }
  const auto code = static_cast<ExitCode>(environment.around([&] { return train(options, *learner, csv, folder); }));
  if (!options.run.brief) show(fmt::format("results in {}: learning.csv, environment.json\n", folder.string()));
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program([&] {
    const auto options = parse_learn_options(argc, argv);
    if (!options) return exit_ok;
    bind_threads(argv);
    use_threads(options->run.threads);
    const KokkosScope kokkos(options->run.threads);
    catch_interrupts();
    return run(*options);
  });
}
