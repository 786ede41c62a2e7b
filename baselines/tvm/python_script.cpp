#include "baselines/tvm/python_script.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tvm_build.hpp"

namespace brickwork::metaschedule {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!changes.contains(text.substr(0, text.find('=')))) variables.push_back(text);
  }
  for (const auto& [name, value] : changes) variables.push_back(name + "=" + value);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

pid_t start(std::vector<std::string> argv, std::vector<std::string> variables, const fs::path& log) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t id = -1;
  const int error =
      posix_spawn(&id, argv.front().c_str(), &files, nullptr, pointers(argv).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::runtime_error(fmt::format("{} cannot be started: {}", argv.front(), std::strerror(error)));
  return id;
}

int end_of(pid_t id, bool (*stopped)()) {
  int status = 0;
  bool told = false;
  while (waitpid(id, &status, WNOHANG) == 0) {
    if (!told && stopped != nullptr && stopped()) {
      kill(id, SIGTERM);
      told = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (told) throw std::runtime_error("tuning was interrupted");
  return status;
}

std::string last_line(const fs::path& file) {
  std::ifstream in(file);
  std::string last = "it printed nothing";
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

void run_script(const std::string& script, const std::string& argument,
                const std::map<std::string, std::string>& environment, const fs::path& log, bool (*stopped)()) {
  // -P: a file tvm.py in the working folder is not TVM.
  const int status = end_of(start({kPython, "-u", "-P", "-c", script, argument}, with(environment), log), stopped);
  if (status == 0) return;
  throw std::runtime_error(fmt::format("tuning failed: {} ({})", last_line(log), log.string()));
}

}  // namespace brickwork::metaschedule
