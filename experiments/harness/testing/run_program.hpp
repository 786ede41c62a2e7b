// Starts the real program as a user does, for tests.
#pragma once
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace brickwork {

struct Ended {
  int code = -1;       // -1: a signal ended it
  std::string output;  // stdout and stderr together
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Runs a command in bash, whose pipes and limits tests use.
inline Ended shell(const std::string& command) {
  std::string quoted = command;
  for (std::size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 4) quoted.replace(at, 1, "'\\''");
  Ended ended;
  std::FILE* pipe = popen(fmt::format("exec bash -c '{}' 2>&1", quoted).c_str(), "r");
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) ended.output += buffer;
  const int status = pclose(pipe);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

// surroundings stand before the program on the command line: "OMP_DYNAMIC=true".
inline Ended brickwork(const std::string& arguments, const std::string& surroundings = "") {
  return shell(fmt::format("{} '{}' {}", surroundings, BRICKWORK_PROGRAM, arguments));
}

// A folder of results that does not exist yet.
inline std::filesystem::path fresh_folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const auto folder = std::filesystem::path(testing::TempDir()) /
                      fmt::format("brickwork_program_test_{}_{}", test->test_suite_name(), test->name());
  std::filesystem::remove_all(folder);
  return folder;
}

// Starts the program with results in `folder`, and interrupts it once samples.csv has `lines` lines.
inline Ended brickwork_interrupted(std::vector<std::string> arguments, const std::filesystem::path& folder,
                                   std::ptrdiff_t lines) {
  const auto shown = std::filesystem::path(folder).concat(".txt");
  arguments.insert(arguments.begin(), "brickwork");
  arguments.insert(arguments.end(), {"--out", folder.string()});
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int out = open(shown.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execv(BRICKWORK_PROGRAM, argv.data());
    _exit(127);
  }
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  const auto written = [&] { return std::ranges::count(read_file(folder / "samples.csv"), '\n'); };
  int status = 0;
  pid_t ended = 0;
  while (written() < lines && (ended = waitpid(child, &status, WNOHANG)) == 0) {
    if (std::chrono::steady_clock::now() > give_up) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (ended == 0) {
    kill(child, SIGINT);
    waitpid(child, &status, 0);
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(shown)};
}

}  // namespace brickwork
