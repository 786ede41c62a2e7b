#include "experiments/harness/run/each_experiment.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "experiments/harness/process/bind_threads.hpp"
#include "experiments/harness/rows/environment.hpp"
#include "experiments/harness/run/results_folder.hpp"
#include "experiments/harness/terminal/screen.hpp"

extern char** environ;

namespace brickwork {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t child = 0;  // its process, while one runs
volatile std::sig_atomic_t stopped = 0;

// A terminal sends Ctrl-C to the child as well; a signal from a process (si_code <= 0) reaches this process alone. A
// second signal ends this process at once.
void stop(int number, siginfo_t* info, void*) {
  stopped = 1;
  if (child != 0 && info->si_code <= 0) kill(child, number);
  std::signal(number, SIG_DFL);
}

void catch_signals() {
  struct sigaction action {};
  action.sa_sigaction = stop;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

ExitCode run_program_with(const fs::path& program, std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t id = 0;
  if (const int error = posix_spawn(&id, program.c_str(), nullptr, nullptr, argv.data(), environ); error != 0) {
    throw std::runtime_error(fmt::format("{} cannot be started: {}", program.string(), std::strerror(error)));
  }
  child = id;
  int status = 0;
  while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  if (WIFEXITED(status)) return static_cast<ExitCode>(WEXITSTATUS(status));
  complain(fmt::format("signal {} ended it: {}", WTERMSIG(status), strsignal(WTERMSIG(status))));
  return WTERMSIG(status) == SIGINT ? exit_interrupted : exit_failed;
}

}  // namespace

std::vector<std::string> without_option(const std::vector<std::string>& arguments, const std::string& option) {
  std::vector<std::string> others;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == option) {
      ++i;  // its value
    } else if (!arguments[i].starts_with(option + "=")) {
      others.push_back(arguments[i]);
    }
  }
  return others;
}

ExitCode run_each_experiment(const Options& options, int argc, char** argv) {
  catch_signals();
  unbind_this_thread();
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const fs::path folder = options.out.empty() ? default_results(utc_timestamp(), "several") : fs::path(options.out);
  auto shared = without_option({argv, argv + argc}, "--experiment");
  if (!options.keep_nothing) shared = without_option(shared, "--out");
  if (!options.brief) shared.emplace_back("--brief");
  ExitCode worst = exit_ok;
  for (const auto& experiment : options.experiments) {
    auto arguments = shared;
    arguments.insert(arguments.end(), {"--experiment", experiment});
    if (!options.keep_nothing) arguments.insert(arguments.end(), {"--out", (folder / experiment).string()});
    const ExitCode code = run_program_with(program, std::move(arguments));
    if (worst == exit_ok) worst = code;
    if (stopped != 0 || code == exit_interrupted) return exit_interrupted;
    if (code == exit_broken_pipe) return code;
  }
  if (!options.keep_nothing && !options.print_plan) {
    show(fmt::format("results in {}: a folder for each experiment\n", folder.string()));
  }
  return worst;
}

}  // namespace brickwork
