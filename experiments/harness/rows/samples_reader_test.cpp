#include "experiments/harness/rows/samples_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <stdexcept>

namespace brickwork {
namespace {

class SamplesReaderTest : public testing::Test {
 protected:
  SamplesReaderTest() { std::filesystem::remove(path_); }

  void write(const std::string& text) const { std::ofstream(path_, std::ios::app) << text; }

  const std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("samples_reader_test_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

Row timed_row() {
  Row row;
  row.problem = "C3";
  row.primitive = "conv";
  row.pass = "forward";
  row.contender = "onednn";
  row.ours = "no";
  row.backend = "oneDNN";
  row.version = "3.13, the newest";
  row.implementation = "brg\"conv\"";
  row.isa = "avx2";
  row.phase = "run";
  row.plan = "n,kb";
  row.tuning = "one=28";
  row.status = "ok";
  row.max_error = 0.5;
  row.sample = 4;
  row.seconds = 1.25e-7;
  row.flop = 3e9;
  row.least_flop = 2e9;
  row.bytes = 1e6;
  row.peak_bytes = 2e6;
  row.plan_seconds = 0.25;
  return row;
}

TEST_F(SamplesReaderTest, ReadsARowAsItWasWritten) {
  SamplesCsv csv(path_, {.run = "run1"}, {"C"});
  csv.append(timed_row());
  csv.flush();
  const auto rows = SamplesReader(path_).next_rows();
  ASSERT_EQ(rows.size(), 1U);
  Row ours;
  ours.setting = "N=1";
  const Row row = measured_row(ours, rows.front());
  EXPECT_EQ(row.problem, "C3");
  EXPECT_EQ(row.setting, "N=1");
  EXPECT_EQ(row.primitive, "conv");
  EXPECT_EQ(row.pass, "forward");
  EXPECT_EQ(row.contender, "onednn");
  EXPECT_EQ(row.ours, "no");
  EXPECT_EQ(row.backend, "oneDNN");
  EXPECT_EQ(row.version, "3.13, the newest");
  EXPECT_EQ(row.implementation, "brg\"conv\"");
  EXPECT_EQ(row.isa, "avx2");
  EXPECT_EQ(row.phase, "run");
  EXPECT_EQ(row.plan, "n,kb");
  EXPECT_EQ(row.tuning, "one=28");
  EXPECT_EQ(row.status, "ok");
  EXPECT_EQ(row.max_error, 0.5);
  EXPECT_EQ(row.sample, 4);
  EXPECT_EQ(row.seconds, 1.25e-7);
  EXPECT_EQ(row.flop, 3e9);
  EXPECT_EQ(row.least_flop, 2e9);
  EXPECT_EQ(row.bytes, 1e6);
  EXPECT_EQ(row.peak_bytes, 2e6);
  EXPECT_EQ(row.plan_seconds, 0.25);
}

TEST_F(SamplesReaderTest, AnEmptyCellIsNoValue) {
  Row failed = timed_row();
  failed.status = "failed";
  failed.reason = "wrong\nin two lines";
  failed.max_error = std::nan("");
  failed.sample = std::nullopt;
  failed.seconds = std::nullopt;
  SamplesCsv csv(path_, {}, {});
  csv.append(failed);
  csv.flush();
  const Row row = measured_row({}, SamplesReader(path_).next_rows().front());
  EXPECT_EQ(row.reason, "wrong\nin two lines");
  EXPECT_EQ(row.max_error, std::nullopt);
  EXPECT_EQ(row.sample, std::nullopt);
  EXPECT_EQ(row.seconds, std::nullopt);
}

TEST_F(SamplesReaderTest, ContinuesWhereItEnded) {
  write("a,b\n1,2\n3,");
  SamplesReader reader(path_);
  ASSERT_EQ(reader.next_rows().size(), 1U);
  EXPECT_TRUE(reader.next_rows().empty());
  write("4\n5,6\n");
  const auto rows = reader.next_rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("b"), "4");
  EXPECT_EQ(rows[1].at("a"), "5");
}

TEST_F(SamplesReaderTest, AFileThatIsNoTableIsRefused) {
  EXPECT_THROW(SamplesReader(path_).next_rows(), std::runtime_error) << "there is no file";
  for (const char* text : {"", "a,b\n1,2,3\n", "a,b\n1\n", "a,b\n\"1\"x,2\n"}) {
    std::filesystem::remove(path_);
    write(text);
    EXPECT_THROW(SamplesReader(path_).next_rows(), std::runtime_error) << text;
  }
}

TEST_F(SamplesReaderTest, AWrongCellIsRefused) {
  SamplesCsv csv(path_, {}, {});
  csv.append(timed_row());
  csv.flush();
  const auto cells = SamplesReader(path_).next_rows().front();
  const auto reason = [&](const std::string& column, const std::optional<std::string>& text) -> std::string {
    auto changed = cells;
    changed.erase(column);
    if (text) changed[column] = *text;
    try {
      measured_row({}, changed);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(reason("seconds", "0.5"), "");
  EXPECT_EQ(reason("seconds", "0.5 s"), "its samples have a seconds of '0.5 s', which is no number");
  EXPECT_EQ(reason("sample", "1.5"), "its samples have a sample of '1.5', which is no number");
  EXPECT_EQ(reason("status", "fine"), "its samples have a status of 'fine', which is no status");
  EXPECT_EQ(reason("flop", std::nullopt), "its samples lack the column flop");
}

}  // namespace
}  // namespace brickwork
