// A fixture for tests of a run; each test has a folder of its own.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

class RunTest : public testing::Test {
 protected:
  RunTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string(test->test_suite_name()) + "_" + test->name());
    std::filesystem::remove_all(folder_);
    options_.experiment = "fake";
    options_.min_time = 1e-4;
    options_.out = folder_;
  }

  std::filesystem::path folder_;
  Options options_;
};

}  // namespace brickwork
