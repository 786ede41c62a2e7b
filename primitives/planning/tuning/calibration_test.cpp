#include "primitives/planning/tuning/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/conv/conv_plan.hpp"
#include "primitives/conv/update/conv_update_plan.hpp"
#include "primitives/planning/tuning/tuning.hpp"

namespace brickwork {
namespace {

// Chooses for a machine on which a block takes cost(tuning, block) seconds.
template <class Cost>
SimdTuning choose(int widest, Cost cost, const SimdTuning& known = {}) {
  return choose_tuning(known, widest, [&](const std::vector<SimdTuning>& tunings, const CalibrationBlock& block, int) {
    std::vector<double> seconds;
    for (const SimdTuning& tuning : tunings) seconds.push_back(cost(tuning, block));
    return seconds;
  });
}

TEST(Calibration, TiesGoToTheDefault) {
  EXPECT_EQ(choose(4, [](const auto&, const auto&) { return 1.0; }), SimdTuning{});
  EXPECT_EQ(choose(2, [](const auto&, const auto&) { return 1.0; }), SimdTuning{});
}

TEST(Calibration, KeepsWhatIsKnownOfTheMachine) {
  const SimdTuning known{.kept = 100};
  const auto likes_nothing = [](const auto&, const auto&) { return 1.0; };
  EXPECT_EQ(choose(4, likes_nothing, known), known);
  const auto likes_silence = [](const SimdTuning& t, const auto&) { return t.ahead != 0 ? 1.0 : 0.5; };
  EXPECT_EQ(choose(4, likes_silence, known), (SimdTuning{.ahead = 0, .kept = 100}));
}

TEST(Calibration, LessThanTheMarginIsATie) {
  const auto gain = [](double share) {
    return [share](const SimdTuning& t, const auto&) { return t == SimdTuning{} ? 1.0 : 1.0 - share; };
  };
  EXPECT_EQ(choose(4, gain(0.9 * kCalibrationMargin)), SimdTuning{});
  EXPECT_NE(choose(4, gain(1.1 * kCalibrationMargin)), SimdTuning{});
}

// Otherwise luck would decide between the equal winners of two calibrations.
TEST(Calibration, TheFirstOfEqualWinnersIsTaken) {
  const auto cost = [](const SimdTuning& t, const CalibrationBlock& block) {
    if (block.vecs == 1) return 1.0;
    return t.ahead == 8 ? 0.80 : t.ahead == 32 ? 0.79 : 1.0;
  };
  EXPECT_EQ(choose(4, cost), (SimdTuning{.ahead = 8}));
}

// Each word of the tuning is found independently of the others' costs.
TEST(Calibration, FindsTheBestTuningOfAMachine) {
  const SimdTuning liked{.ahead = 32, .few = 0, .spread = SpreadA::shuffled};
  const auto cost = [&](const SimdTuning& t, const CalibrationBlock& block) {
    double seconds = 1;
    if (block.vecs > 1 && t.ahead != liked.ahead) seconds *= 1.1;
    if (block.m == 1 && t.few != liked.few) seconds *= 1.1;
    if (block.vecs == 1 && t.spread != liked.spread) seconds *= 1.1;
    return seconds;
  };
  for (const int widest : {2, 4}) EXPECT_EQ(choose(widest, cost), liked) << to_string(choose(widest, cost));
}

// A candidate that wins on one block and loses on the others does not win.
TEST(Calibration, JudgesByAllBlocks) {
  const auto cost = [](const SimdTuning& t, const CalibrationBlock& block) {
    if (t == SimdTuning{}) return 1.0;
    return block.batch == 1 ? 0.9 : 1.1;
  };
  EXPECT_EQ(choose(4, cost), SimdTuning{});
}

TEST(Calibration, NoBlockDecidesAlone) {
  const auto cost = [](const SimdTuning& t, const CalibrationBlock& block) {
    if (t == SimdTuning{}) return 1.0;
    return block.spacing == 4 ? 0.9 : 1.1;
  };
  EXPECT_EQ(choose(4, cost), SimdTuning{});
}

// A candidate that is fast only in the first look was lucky; one that is not fast there does not race.
TEST(Calibration, AWinnerMustWinTwice) {
  int looks = 0, races = 0;
  const auto choose = [&](double at_a_look) {
    looks = races = 0;
    return choose_tuning({}, 2, [&, at_a_look](const std::vector<SimdTuning>& tunings, const auto&, int rounds) {
      const bool look = rounds == kRoundsOfALook;
      ++(look ? looks : races);
      std::vector<double> seconds(tunings.size(), look ? at_a_look : 1.0);
      seconds[0] = 1;
      return seconds;
    });
  };
  EXPECT_EQ(choose(0.5), SimdTuning{});
  EXPECT_EQ(races, looks);
  EXPECT_EQ(choose(1), SimdTuning{});
  EXPECT_EQ(races, 0);
}

// Layers gain little, so a smaller gain suffices than for other words.
TEST(Calibration, FindsHowRecurrentLayersSum) {
  const auto gain_of = [](const SimdTuning& liked, double gain) {
    return [=](const std::vector<SimdTuning>& tunings, const RnnProblem&, int) {
      std::vector<double> seconds;
      for (const SimdTuning& tuning : tunings) seconds.push_back(tuning == liked ? 1 - gain : 1.0);
      return seconds;
    };
  };
  const SimdTuning parts{.sums = Sums::parts}, wide{.tiles = FarTiles::wide};
  EXPECT_EQ(choose_sums({}, gain_of(parts, 0.02)), parts);
  EXPECT_EQ(choose_sums({}, gain_of(parts, 0.005)), SimdTuning{});
  EXPECT_EQ(choose_sums({}, gain_of({}, 0.02)), SimdTuning{});
  EXPECT_EQ(choose_tiles({}, gain_of(wide, 0.02)), wide);
  EXPECT_EQ(choose_tiles({}, gain_of(wide, 0.005)), SimdTuning{});
  EXPECT_EQ(choose_tiles({}, gain_of({}, 0.02)), SimdTuning{});
}

TEST(Calibration, FindsHowSweepsGoOverMemory) {
  const auto choose = [](Sweep liked, auto gain_of) {
    return choose_sweep({}, [=](const std::vector<SimdTuning>& tunings, Swept swept, int) {
      std::vector<double> seconds;
      for (const SimdTuning& tuning : tunings) seconds.push_back(tuning.sweep == liked ? 1 - gain_of(swept) : 1.0);
      return seconds;
    });
  };
  EXPECT_EQ(choose(Sweep::stream_l2, [](Swept) { return 0.05; }), (SimdTuning{.sweep = Sweep::stream_l2}));
  EXPECT_EQ(choose(Sweep::stream_l2, [](Swept swept) { return swept == Swept::pooling ? 0.05 : 0.0; }), SimdTuning{});
  EXPECT_EQ(choose(Sweep::stream, [](Swept) { return 0.05; }), SimdTuning{});
}

// Each word of the planner is found independently, by the layers and the pass that it is for.
TEST(Calibration, FindsTheWordsOfThePlanner) {
  const auto measure = [](auto cost) {
    return [=](const std::vector<SimdTuning>& tunings, const ConvProblem& p, int) {
      std::vector<double> seconds;
      for (const SimdTuning& tuning : tunings) seconds.push_back(cost(tuning, p) ? 0.9 : 1.0);
      return seconds;
    };
  };
  const auto nothing = measure([](const auto&, const auto&) { return false; });
  const auto blocks = measure([](const SimdTuning& t, const auto&) { return t.src == FarSrc::blocks; });
  const auto lines = measure([](const SimdTuning& t, const auto&) { return t.src == FarSrc::lines; });
  const auto stream = measure([](const SimdTuning& t, const auto&) { return t.far == CAccess::stream; });
  const auto wide = measure([](const SimdTuning& t, const auto&) { return !t.narrow; });
  const auto shallow = measure([](const SimdTuning& t, const auto&) { return t.reduction == Reduction::shallow; });
  const auto many = measure([](const SimdTuning& t, const auto&) { return t.pixels == PixelsOfCall::many; });
  EXPECT_EQ(choose_planning({}, nothing, nothing, nothing), SimdTuning{});
  EXPECT_EQ(choose_planning({}, blocks, nothing, nothing), (SimdTuning{.src = FarSrc::blocks}));
  EXPECT_EQ(choose_planning({}, lines, nothing, nothing), (SimdTuning{.src = FarSrc::lines}));
  EXPECT_EQ(choose_planning({}, wide, nothing, nothing), (SimdTuning{.narrow = false}));
  EXPECT_EQ(choose_planning({}, nothing, stream, nothing), (SimdTuning{.far = CAccess::stream}));
  EXPECT_EQ(choose_planning({}, nothing, nothing, shallow), (SimdTuning{.reduction = Reduction::shallow}));
  EXPECT_EQ(choose_planning({}, nothing, nothing, many), (SimdTuning{.pixels = PixelsOfCall::many}));
  EXPECT_EQ(choose_planning({}, shallow, blocks, stream), SimdTuning{});
  const auto blocks_of_colours =
      measure([](const SimdTuning& t, const ConvProblem& p) { return (t.src == FarSrc::blocks) == (p.C == 3); });
  EXPECT_EQ(choose_planning({}, blocks_of_colours, nothing, nothing), SimdTuning{});
}

// Otherwise equal plans would race.
TEST(Calibration, PlansOfDifferentWordsDiffer) {
  int races = 0;
  const auto expect_difference = [&](auto rule) {
    return [&, rule](const std::vector<SimdTuning>& tunings, const ConvProblem& p, int) {
      ++races;
      const auto plan = [&](const SimdTuning& tuning) {
        MachineModel machine = this_machine(2, tuning);
        machine.l3_bytes = 256 << 20;
        return rule(p, machine);
      };
      EXPECT_GT(tunings.size(), 1u);
      for (std::size_t a = 0; a < tunings.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) EXPECT_NE(plan(tunings[a]), plan(tunings[b])) << to_string(p);
      }
      return std::vector<double>(tunings.size(), 1.0);
    };
  };
  choose_planning(
      {}, expect_difference([](const auto& p, const auto& machine) { return plan_conv_forward(p, machine); }),
      expect_difference([](const auto& p, const auto& machine) { return plan_conv_backward_data(p, machine); }),
      expect_difference([](const auto& p, const auto& machine) { return plan_conv_update(p, machine); }));
  EXPECT_EQ(races, 9);
}

TEST(Calibration, RunsOnEveryIsaOfThisMachine) {
  for (const Isa isa : brgemm_backend(Backend::simd).isas) {
    const SimdTuning tuning = calibrate({.few_registers = isa == Isa::avx2}, isa, 1);
    EXPECT_EQ(to_string(parse_tuning(to_string(tuning))), to_string(tuning));
  }
}

}  // namespace
}  // namespace brickwork
