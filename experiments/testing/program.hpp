// Runs the real program, for tests.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace brickwork {

struct Ended {
  int code = -1;       // -1: killed by a signal
  std::string output;  // stdout and stderr together
};

inline Ended shell(const std::string& command) {
  Ended ended;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) ended.output += buffer;
  const int status = pclose(pipe);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

// surroundings: what stands before the program on the command line, "OMP_DYNAMIC=true".
inline Ended brickwork(const std::string& arguments, const std::string& surroundings = "") {
  return shell(fmt::format("{} '{}' {}", surroundings, BRICKWORK_PROGRAM, arguments));
}

// A folder of results that does not exist yet, the test's own.
inline std::filesystem::path fresh_folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const auto folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("{}_{}", test->test_suite_name(), test->name());
  std::filesystem::remove_all(folder);
  return folder;
}

}  // namespace brickwork
