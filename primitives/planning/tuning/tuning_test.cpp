#include "primitives/planning/tuning/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "primitives/planning/machine/machine.hpp"
#include "primitives/planning/tuning/tuning_cache.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(Tuning, TextAndValueAreInverse) {
  EXPECT_EQ(
      to_string(SimdTuning{}),
      "ahead=16 few=32 spread=registers tiles=tall far=prefetch src=runs narrow reduction=deep pixels=few sums=whole "
      "sweep=stream");
  const SimdTuning other{.ahead = 0,
                         .few = 8,
                         .spread = SpreadA::shuffled,
                         .tiles = FarTiles::wide,
                         .far = CAccess::stream,
                         .src = FarSrc::blocks,
                         .narrow = false,
                         .reduction = Reduction::shallow,
                         .pixels = PixelsOfCall::many,
                         .sums = Sums::parts,
                         .sweep = Sweep::stream_l2};
  EXPECT_EQ(
      to_string(other),
      "ahead=0 few=8 spread=shuffled tiles=wide far=stream src=blocks wide reduction=shallow pixels=many sums=parts "
      "sweep=stream-l2");
  EXPECT_EQ(parse_tuning(to_string(other)), other);
  EXPECT_EQ(parse_tuning("few=7 ahead=0"), (SimdTuning{.ahead = 0, .few = 7}));
  EXPECT_EQ(parse_tuning(to_string(SimdTuning{.spread = SpreadA::memory})).spread, SpreadA::memory);
}

TEST(Tuning, WrongTextsAreRefused) {
  for (const auto& [text, message] : {std::pair{"six=7", "'six=7' is no size"},
                                      {"ahead=2000", "ahead is 2000: it must be from 0 to 1024"},
                                      {"ahead=-1", "ahead"},
                                      {"spread=wide", "spread=registers, spread=shuffled or spread=memory"},
                                      {"few=6 few=7", "a second time"}}) {
    EXPECT_THAT([text = text] { parse_tuning(text); },
                testing::ThrowsMessage<std::invalid_argument>(HasSubstr(message)))
        << text;
  }
}

class TuningCache : public testing::Test {
 protected:
  void SetUp() override {
    if (!brgemm_backend(Backend::simd).absent_reason.empty()) GTEST_SKIP() << "there is no simd backend here";
    fs::remove_all(folder_);
  }

  ChosenTuning find(std::string_view asked = {}, std::string_view version = "1") {
    return find_tuning(asked, Isa::best, version, folder_, [this](const SimdTuning& untuned) {
      ++calibrations_;
      EXPECT_EQ(untuned, untuned_);
      return measured_;
    });
  }
  fs::path file() const { return fs::directory_iterator(folder_)->path(); }

  const fs::path folder_ = fs::path(testing::TempDir()) / "tuning_cache_test" /
                           testing::UnitTest::GetInstance()->current_test_info()->name() / "brickwork";
  const SimdTuning untuned_ = find_tuning("default", Isa::best, "1").tuning;
  const SimdTuning measured_ = [this] {
    SimdTuning measured = untuned_;
    measured.ahead = 8;
    return measured;
  }();
  int calibrations_ = 0;
};

TEST_F(TuningCache, CalibratesOnceAndKeepsIt) {
  EXPECT_EQ(find().tuning, measured_);
  const auto again = find();
  EXPECT_EQ(again.tuning, measured_);
  EXPECT_THAT(again.from, HasSubstr("kept from"));
  EXPECT_EQ(again.warning, "");
  EXPECT_EQ(calibrations_, 1);
  EXPECT_EQ(find("calibrate").tuning, measured_);
  EXPECT_EQ(calibrations_, 2);
}

TEST_F(TuningCache, AnotherVersionOrCpuCalibratesAgain) {
  find();
  find({}, "2");
  EXPECT_EQ(calibrations_, 2);
  std::ifstream in(file());
  auto kept = nlohmann::json::parse(in);
  EXPECT_EQ(kept["for"]["cpu_id"], machine().cpu_id);
  kept["for"]["cpu_id"] = "another";
  std::ofstream(file()) << kept;
  find({}, "2");
  EXPECT_EQ(calibrations_, 3);
}

TEST_F(TuningCache, OtherDefaultsOrWordsCalibrateAgain) {
  find();
  std::ifstream in(file());
  const auto kept = nlohmann::json::parse(in);
  EXPECT_EQ(kept["for"]["default"], to_string(SimdTuning{}));
  EXPECT_THAT(kept["for"]["words"].dump(), HasSubstr("spread=memory"));
  auto other = kept;
  other["for"]["default"] = "few=6";
  std::ofstream(file()) << other;
  find();
  EXPECT_EQ(calibrations_, 2);
  other = kept;
  other["for"]["words"] = {"narrow or wide"};
  std::ofstream(file()) << other;
  find();
  EXPECT_EQ(calibrations_, 3);
}

TEST_F(TuningCache, AGivenTuningNeedsNoCalibration) {
  EXPECT_EQ(find("default").tuning, untuned_);
  EXPECT_EQ(to_string(find("few=5").tuning), to_string(SimdTuning{.few = 5}));
  EXPECT_THROW(find("few"), std::invalid_argument);
  EXPECT_EQ(to_string(find_tuning({}, Isa::neon, "1", folder_).tuning), to_string(SimdTuning{}));  // no x86 has NEON
  EXPECT_EQ(calibrations_, 0);
  EXPECT_FALSE(fs::exists(folder_));
}

// Every tuning has them, although its text does not.
TEST_F(TuningCache, EveryTuningHasTheFactsOfTheCore) {
  for (const Isa isa : brgemm_backend(Backend::simd).isas) {
    for (const char* asked : {"default", "few=5"}) {
      const SimdTuning tuning = find_tuning(asked, isa, "1", folder_).tuning;
      EXPECT_EQ(tuning.few_registers, isa == Isa::avx2);
      if (const std::int64_t l1 = machine().l1d_bytes; l1 > 0) {
        EXPECT_LT(tuning.kept * 1024, l1);
        EXPECT_GT(tuning.kept * 1024, l1 / 2);
      }
    }
  }
}

TEST_F(TuningCache, ACorruptFileGivesTheDefaultAndAWarning) {
  find();
  for (const char* text : {"", "{", "[]", R"({"for": 1})"}) {
    std::ofstream(file()) << text;
    const auto chosen = find();
    if (text == std::string_view(R"({"for": 1})")) {  // may be another machine's file
      EXPECT_EQ(chosen.tuning, measured_);
      continue;
    }
    EXPECT_EQ(chosen.tuning, untuned_) << text;
    EXPECT_THAT(chosen.warning, HasSubstr("contains no tuning")) << text;
  }
  EXPECT_EQ(find("calibrate").warning, "");
  EXPECT_EQ(find().tuning, measured_);
}

TEST_F(TuningCache, AFolderThatCannotBeWrittenGivesTheDefaultAndAWarning) {
  fs::create_directories(folder_.parent_path());
  std::ofstream(folder_) << "a file where the folder should be";
  const auto chosen = find();
  EXPECT_EQ(chosen.tuning, untuned_);
  EXPECT_THAT(chosen.warning, HasSubstr("cannot be written"));
  const auto nowhere = find_tuning({}, Isa::best, "1", std::nullopt);
  EXPECT_EQ(nowhere.tuning, untuned_);
  EXPECT_THAT(nowhere.warning, HasSubstr("XDG_CACHE_HOME"));
}

TEST(TuningFolder, FollowsTheEnvironment) {
  const auto restore = [](const char* name) {
    const char* value = getenv(name);
    return std::pair{name, value == nullptr ? std::optional<std::string>{} : std::optional<std::string>{value}};
  };
  const auto before = {restore("XDG_CACHE_HOME"), restore("HOME")};
  setenv("XDG_CACHE_HOME", "/a/cache", 1);
  EXPECT_EQ(tuning_folder(), fs::path("/a/cache/brickwork"));
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/a/home", 1);
  EXPECT_EQ(tuning_folder(), fs::path("/a/home/.cache/brickwork"));
  unsetenv("HOME");
  EXPECT_EQ(tuning_folder(), std::nullopt);
  for (const auto& [name, value] : before) value ? setenv(name, value->c_str(), 1) : unsetenv(name);
}

}  // namespace
}  // namespace brickwork
