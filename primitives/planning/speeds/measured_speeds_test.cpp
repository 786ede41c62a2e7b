#include "primitives/planning/speeds/measured_speeds.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace brickwork {
namespace {

namespace fs = std::filesystem;

class KeptSpeeds : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("speeds-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Measures a call that takes longer each time.
  CoreSpeeds find() {
    return find_speeds({32 << 10, 1 << 20, 16 << 20}, folder_, [&](const CacheSizes&) {
      CoreSpeeds speeds;
      speeds.call = ++measured_;
      speeds.latency = {1.234, 5.678, 23.45, 123.4};
      return speeds;
    });
  }
  void write(const std::string& text) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "speeds.json") << text;
  }

  fs::path folder_;
  int measured_ = 0;
};

TEST_F(KeptSpeeds, AreMeasuredOnceAndRounded) {
  const CoreSpeeds first = find();
  EXPECT_EQ(first.latency[1], 5.7);
  EXPECT_EQ(first.latency[3], 120);
  EXPECT_EQ(find(), first);
  EXPECT_EQ(measured_, 1);
}

TEST_F(KeptSpeeds, OfAnotherProcessorOrVersionAreMeasuredAgain) {
  find();
  std::ifstream in(folder_ / "speeds.json");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto at = text.find("\"version\": 1");
  ASSERT_NE(at, std::string::npos);
  write(text.replace(at, 12, "\"version\": 0"));
  find();
  EXPECT_EQ(measured_, 2);
}

TEST_F(KeptSpeeds, AFileWithoutSpeedsIsReplaced) {
  for (const char* text : {"", "{}", "[1, 2", "{\"for\": 1}"}) {
    write(text);
    const int before = measured_;
    find();
    EXPECT_EQ(measured_, before + 1) << text;
    find();
    EXPECT_EQ(measured_, before + 1) << text;
  }
}

TEST_F(KeptSpeeds, WithoutAFolderEachRunMeasures) {
  const auto measure = [&](const CacheSizes&) { return ++measured_, CoreSpeeds(); };
  find_speeds({}, std::nullopt, measure);
  find_speeds({}, std::nullopt, measure);
  EXPECT_EQ(measured_, 2);
}

TEST(MeasuredSpeeds, ArePositive) {
  const CoreSpeeds speeds = measure_speeds({32 << 10, 1 << 20, 4 << 20});
  EXPECT_GT(speeds.multiply_adds, 0);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    EXPECT_GT(speeds.latency[place], 0) << place;
    EXPECT_GT(speeds.bandwidth[place], 0) << place;
  }
}

}  // namespace
}  // namespace brickwork
