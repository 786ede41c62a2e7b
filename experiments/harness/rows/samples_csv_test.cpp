#include "experiments/harness/rows/samples_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "experiments/harness/testing/csv_table.hpp"

namespace brickwork {
namespace {

std::filesystem::path fresh_file(const std::string& name) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove(path);
  return path;
}

TEST(SamplesCsv, CanBeReadBack) {
  const auto path = fresh_file("samples_csv_test.csv");
  SamplesCsv csv(path, {"run1", "conv-forward", "layers", "resnet50", 20, 2, "hot"}, {"C", "epilogue"});
  Row row;
  row.problem = "C3";
  row.sizes = {{"C", "3"}, {"epilogue", "bias+relu"}};
  row.contender = "brickwork-simd";
  row.ours = "yes";
  row.setting = "N=1, f32";
  row.reason = "it said \"no\", twice\nand left";
  row.max_error = std::nan("");
  row.sample = 4;
  row.seconds = 1.25e-7;
  csv.append(row);
  csv.append(Row{});
  csv.flush();

  const CsvTable table(path);
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.at(0, "run"), "run1");
  EXPECT_EQ(table.at(0, "threads"), "2");
  EXPECT_EQ(table.at(0, "shapes"), "resnet50");
  EXPECT_EQ(table.at(0, "problems"), "20");
  EXPECT_EQ(table.at(0, "ours"), "yes");
  EXPECT_EQ(table.at(0, "setting"), "N=1, f32");
  EXPECT_EQ(table.at(0, "C"), "3");
  EXPECT_EQ(table.at(0, "epilogue"), "bias+relu");
  EXPECT_EQ(table.at(0, "reason"), row.reason);
  EXPECT_EQ(table.at(0, "max_error"), "");
  EXPECT_EQ(table.at(0, "sample"), "4");
  EXPECT_EQ(std::stod(table.at(0, "seconds")), 1.25e-7);
  EXPECT_EQ(table.at(0, "flop"), "");
  EXPECT_EQ(table.at(1, "C"), "");
  EXPECT_EQ(table.at(1, "cache"), "hot");
}

TEST(SamplesCsv, RefusesTwoColumnsOfOneName) {
  EXPECT_THROW(SamplesCsv(fresh_file("samples_csv_test_columns.csv"), {}, {"C", "version"}), std::logic_error);
}

TEST(SamplesCsv, NeverOverwrites) {
  const auto path = fresh_file("samples_csv_test_twice.csv");
  SamplesCsv first(path, {}, {});
  EXPECT_THAT([&] { SamplesCsv(path, {}, {}); },
              testing::ThrowsMessage<std::runtime_error>(
                  testing::HasSubstr("already holds a run's samples_csv_test_twice.csv: name another folder")));
}

TEST(SamplesCsv, ReportsAFullDisk) {
  EXPECT_THAT([] { SamplesCsv("/dev/full", {}, {}); },
              testing::ThrowsMessage<std::runtime_error>("/dev/full cannot be written: No space left on device"));
}

}  // namespace
}  // namespace brickwork
