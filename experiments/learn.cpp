// Trains a network on real images with our primitives alone, and writes how well it does after every epoch.
#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "choose_tuning.hpp"
#include "clock.hpp"
#include "csv_writer.hpp"
#include "environment.hpp"
#include "interrupt.hpp"
#include "learning/learn_options.hpp"
#include "learning/training.hpp"
#include "machine.hpp"
#include "machine_model.hpp"
#include "program.hpp"
#include "screen.hpp"
#include "threads.hpp"

using namespace brickwork;

namespace {

const std::vector<std::string> kColumns{"task",          "contender",    "threads",     "seed",
                                        "epochs",        "epoch",        "loss",        "train_accuracy",
                                        "test_accuracy", "train_images", "test_images", "seconds"};

DataSet read_data(const LearnOptions& options) {
  std::ifstream in(options.data);
  if (std::filesystem::is_directory(options.data)) throw UsageError{fmt::format("{} is a directory", options.data)};
  if (!in) throw UsageError{fmt::format("{} cannot be read: {}", options.data, std::strerror(errno))};
  try {
    return read_data_set(in, options.data, options.task.format);
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
}

// Its plans are those of all cores, whatever the threads: they fix the order of every sum, so that the numbers are the
// same on any of them.
Network make_network(const LearnOptions& options) {
  NetworkBrick brick{this_machine(machine().usable_cores), Backend::simd, options.run.isa, options.run.tuning};
  brick.machine.far = options.run.tuning.far;
  auto network = Network::make(options.task.graph(options.task.minibatch), brick);
  if (!network) throw std::runtime_error(network.reason());
  return *std::move(network);
}

ExitCode train(const LearnOptions& options, const DataSet& data, CsvWriter& csv) {
  const LearningTask& task = options.task;
  Training training(make_network(options), data.train, task.schedule, options.seed);
  for (int epoch = 1; epoch <= task.schedule.epochs; ++epoch) {
    const double start = steady_seconds();
    const Epoch trained = training.epoch();
    const double seconds = steady_seconds() - start;
    const double tested = training.accuracy_on(data.test);
    csv.write_line({std::string(task.name), "brickwork-simd", fmt::format("{}", options.run.threads),
                    fmt::format("{}", options.seed), fmt::format("{}", task.schedule.epochs), fmt::format("{}", epoch),
                    fmt::format("{}", trained.loss), fmt::format("{}", trained.accuracy), fmt::format("{}", tested),
                    fmt::format("{}", data.train.N()), fmt::format("{}", data.test.N()), fmt::format("{}", seconds)});
    csv.flush();
    show(fmt::format("epoch {:3}/{}  loss {:.4f}  right of training {:6.2f} %, of test images {:6.2f} %  {:.3f} s\n",
                     epoch, task.schedule.epochs, trained.loss, 100 * trained.accuracy, 100 * tested, seconds));
    if (!std::isfinite(trained.loss)) throw std::runtime_error("the loss is no number any more: training diverges");
    if (interrupted()) {
      show("interrupted: what was finished is kept\n");
      return exit_interrupted;
    }
  }
  return exit_ok;
}

ExitCode run(LearnOptions options) {
  const DataSet data = read_data(options);
  try {
    choose_tuning(options.run);
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  const std::filesystem::path folder =
      options.run.out.empty()
          ? std::filesystem::path("results") / fmt::format("{}-{}", utc_timestamp(), options.task.name)
          : std::filesystem::path(options.run.out);
  make_folder(folder);
  CsvWriter csv(folder / "learning.csv", kColumns);
  EnvironmentRecord environment(folder / "environment.json", options.run, {});
  show(fmt::format("{}: {}; {} images to train on, {} to test on; {} thread{}, seed {}\n", options.task.name,
                   options.task.about, data.train.N(), data.test.N(), options.run.threads,
                   options.run.threads == 1 ? "" : "s", options.seed));
  const auto code = static_cast<ExitCode>(environment.around([&] { return train(options, data, csv); }));
  show(fmt::format("results in {}: learning.csv, environment.json\n", folder.string()));
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program([&] {
    const auto options = parse_learn_options(argc, argv);
    if (!options) return exit_ok;
    use_threads(options->run.threads);
    const Kokkos::ScopeGuard kokkos(
        Kokkos::InitializationSettings().set_num_threads(options->run.threads).set_disable_warnings(true));
    catch_interrupts();
    return run(*options);
  });
}
