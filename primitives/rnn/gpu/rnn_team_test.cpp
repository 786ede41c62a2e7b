// Tests of the device code of recurrent layers on the host: teams of the host's spaces with the portable bricks and
// with the brick of multiply-adds, in memory that the host reaches only by copies.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "primitives/nest/league.hpp"
#include "primitives/nest/testing/host_spaces.hpp"
#include "primitives/rnn/gpu/rnn_on_device.hpp"
#include "primitives/rnn/testing/rnn_check.hpp"
#include "primitives/testing/host_block.hpp"
#include "primitives/testing/memory_apart.hpp"

namespace brickwork {
namespace {

template <class Space>
struct Teams {
  int threads;
  CudaBrick brick;

  template <bool a_transposed, class Run>
  void with_brick(const BrgemmShape& shape, const Run& run) const {
    if (brick != CudaBrick::multiply_adds) {
      return run(Space(), TeamBrick<float>{shape, brick == CudaBrick::staged}, threads);
    }
    for_rnn_tile<a_transposed>(shape, [&]<class Tile>(std::type_identity<Tile>) {
      run(Space(), BlockBrick<Tile, float, HostBlock<Tile>>{shape}, 1);
    });
  }
  template <class Run>
  void without_brick(const Run& run) const {
    run(Space(), threads);
  }
  std::string isa() const { return "teams"; }
};

template <class Space>
class OnTeams final : public RnnTarget {
 public:
  OnTeams(int threads, CudaBrick brick, std::int64_t multiprocessors = 132)
      : teams_{threads, brick}, multiprocessors_(multiprocessors) {}

  Result<RnnPasses> passes(const RnnForwardGeometry& g, const RnnBackwardGeometry* back) const override {
    return rnn_passes_by_teams(g, back, teams_);
  }
  RnnSizes sizes(std::int64_t N, std::int64_t, std::int64_t K) const override {
    return rnn_sizes_on_gpu(N, K, multiprocessors_);
  }
  std::unique_ptr<DeviceMemory> memory(std::size_t bytes) const override {
    return std::make_unique<MemoryApart>(bytes);
  }

 private:
  Teams<Space> teams_;
  std::int64_t multiprocessors_;
};

constexpr const char* kCells[] = {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"};

template <class Space>
class RnnOnTeams : public testing::Test {};

TYPED_TEST_SUITE(RnnOnTeams, HostSpaces);

TYPED_TEST(RnnOnTeams, IsRightForEveryCellAndDirection) {
  for (const char* cell : kCells) {
    for (const char* rest : {"T3 N3 C20 K33 L2 bidirectional unequal", "T4 N5 C17 K80 reverse", "T1 N1 C1 K1"}) {
      const auto p = parse_problem<RnnProblem>(fmt::format("{} {}", rest, cell));
      const RnnPlan plan = plan_rnn_on_gpu(p, 132);
      EXPECT_EQ(wrong_rnn(p, plan, OnTeams<TypeParam>(1, CudaBrick::staged)), "");
      EXPECT_EQ(wrong_rnn(p, plan, OnTeams<TypeParam>(1, CudaBrick::multiply_adds)), "");
      const int threads = std::min(TypeParam().concurrency(), 2);
      EXPECT_EQ(wrong_rnn(p, plan, OnTeams<TypeParam>(threads, CudaBrick::portable)), "");
    }
  }
}

TYPED_TEST(RnnOnTeams, PlansChangeNoResult) {
  EXPECT_TRUE(rc::check("every plan is right", [] {
    RnnProblem p = parse_problem<RnnProblem>(
        fmt::format("T1 N1 C1 K1 {}", kCells[*rc::gen::inRange<std::size_t>(0, std::size(kCells))]));
    p.T = *rc::gen::inRange(1, 5);
    p.N = *rc::gen::inRange(1, 8);
    p.C = *rc::gen::inRange(1, 40);
    p.K = *rc::gen::inRange(1, 70);
    p.direction = *rc::gen::element(RnnDirection::forward, RnnDirection::reverse);
    RnnPlan plan = plan_rnn_on_gpu(p, *rc::gen::inRange(1, 200));
    plan.bn = *rc::gen::inRange<std::int64_t>(1, p.N + 1);
    plan.steps = *rc::gen::inRange<std::int64_t>(1, p.T + 1);
    const int threads = *rc::gen::inRange(1, std::min(TypeParam().concurrency(), 2) + 1);
    const auto brick = *rc::gen::element(CudaBrick::portable, CudaBrick::staged, CudaBrick::multiply_adds);
    RC_ASSERT(wrong_rnn(p, plan, OnTeams<TypeParam>(threads, brick)) == "");
  }));
}

// Calls of few and of many rows, which use different tiles.
TYPED_TEST(RnnOnTeams, MultiplyAddsAreRightInEveryTile) {
  for (const char* cell : {"lstm", "gru"}) {
    const auto p = parse_problem<RnnProblem>(fmt::format("T2 N70 C20 K70 unequal {}", cell));
    for (const std::int64_t bn : {31, 70}) {
      RnnPlan plan = plan_rnn_on_gpu(p, 132);
      plan.bn = bn;
      for (const std::int64_t multiprocessors : {1, 132}) {
        const OnTeams<TypeParam> target(1, CudaBrick::multiply_adds, multiprocessors);
        EXPECT_EQ(wrong_rnn(p, plan, target), "") << to_string(p) << "  " << to_string(plan);
      }
    }
  }
}

// 200 rows are cut into two parts.
TYPED_TEST(RnnOnTeams, PartsOfAnUpdateAreSummed) {
  for (const char* cell : {"lstm", "gru"}) {
    const auto p = parse_problem<RnnProblem>(fmt::format("T4 N50 C20 K33 reverse {}", cell));
    const RnnPlan plan = plan_rnn_on_gpu(p, 132);
    EXPECT_EQ(wrong_rnn(p, plan, OnTeams<TypeParam>(1, CudaBrick::staged)), "");
    EXPECT_EQ(wrong_rnn(p, plan, OnTeams<TypeParam>(1, CudaBrick::multiply_adds)), "");
  }
}

TYPED_TEST(RnnOnTeams, AnotherCellFails) {
  const auto p = parse_problem<RnnProblem>("T3 N3 C20 K33 rnn-tanh"),
             other = parse_problem<RnnProblem>("T3 N3 C20 K33 rnn-relu");
  const TestData data = make_checkable_test_data<RnnForwardOp>(p, Fill::floats);
  const auto target = OnTeams<TypeParam>(1, CudaBrick::staged);
  const auto out = run_rnn(other, plan_rnn_on_gpu(p, 132), RnnUse::inference, data.inputs, target);
  EXPECT_NE(compare(out, data.expected, {1000 * data.tolerance.value, data.tolerance.whole}).status, Status::ok);
}

TEST(RnnPlanOnGpu, TasksAreLargeIfEveryMultiprocessorHasOne) {
  const auto of = [](const char* problem) { return plan_rnn_on_gpu(parse_problem<RnnProblem>(problem), 132).bn; };
  EXPECT_EQ(of("T2 N168 C1024 K1024"), 84);
  EXPECT_EQ(of("T2 N168 C512 K512"), 28);
  EXPECT_EQ(of("T2 N3 C4096 K4096"), 3);
}

TEST(RnnPlanOnGpu, LimitsTheStepsWithGatesInMemory) {
  const auto of = [](const char* problem) { return plan_rnn_on_gpu(parse_problem<RnnProblem>(problem), 132).steps; };
  EXPECT_EQ(of("T50 N168 C1024 K1024"), 50);
  EXPECT_EQ(of("T1000 N168 C1024 K1024"), 97);
}

}  // namespace
}  // namespace brickwork
