// The contender tvm-metaschedule: where TVM is installed, and where its program is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/run_program.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kTvm = "brickwork-tvm";

std::vector<std::string> tvm_cells(const fs::path& folder, const std::string& column) {
  const CsvTable table(folder / "samples.csv");
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "contender") == "tvm-metaschedule") cells.push_back(table.at(i, column));
  }
  return cells;
}

class TvmInstalled : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(BRICKWORK_PROGRAM).parent_path() / kTvm)) {
      GTEST_SKIP() << "scripts/setup --with-tvm installs what this test needs";
    }
  }

  Ended run(const std::string& trials) {
    return brickwork(fmt::format("--experiment conv-forward --check --problem 'C16 K16 H6 R3 ph1' "
                                 "--contenders tvm-metaschedule --threads 2 --out {}",
                                 folder_.string()),
                     fmt::format("XDG_CACHE_HOME={} BRICKWORK_TVM_TRIALS={}", kept_.string(), trials));
  }

  const fs::path folder_ = fresh_folder(), kept_ = fs::path(folder_).concat("-kept");
};

TEST_F(TvmInstalled, SaysHowLongItHasTuned) {
  fs::remove_all(kept_);
  const auto [code, output] = run("2");
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(output, HasSubstr("0 failed, 0 skipped"));
  EXPECT_THAT(tvm_cells(folder_, "plan"), testing::ElementsAre(testing::StartsWith("trials=2 tiles=")));
  EXPECT_GT(std::stod(tvm_cells(folder_, "plan_seconds").at(0)), 0.1);
}

TEST_F(TvmInstalled, RefusesAWrongNumberOfTrials) {
  const auto [code, output] = run("many");
  EXPECT_EQ(code, 1) << output;
  EXPECT_THAT(tvm_cells(folder_, "reason"),
              testing::ElementsAre(HasSubstr("BRICKWORK_TVM_TRIALS is 'many': it must be a whole number from 1 to")));
}

TEST(TvmProgram, IsAbsentIfItIsMissingAndSaysHowToGetIt) {
  const fs::path folder = fresh_folder(), place = fs::path(folder).concat("-program");
  fs::remove_all(place);
  fs::create_directories(place);
  fs::copy_file(BRICKWORK_PROGRAM, place / "brickwork");
  const auto [code, output] = shell(
      fmt::format("'{}' --experiment fc-forward --check --problem 'N2 C8 K8' --contenders tvm-metaschedule --threads 1 "
                  "--out {}",
                  (place / "brickwork").string(), folder.string()));
  EXPECT_THAT(tvm_cells(folder, "reason"), testing::ElementsAre(HasSubstr("scripts/setup --with-tvm"))) << output;
}

}  // namespace
}  // namespace brickwork
