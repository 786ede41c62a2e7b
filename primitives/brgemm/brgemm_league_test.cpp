// The device's league body on the host, around the portable bricks and the bricks of blocks of warps.
#include "primitives/brgemm/brgemm_league.hpp"

#include <gtest/gtest.h>

#include "primitives/brgemm/testing/brgemm_league_check.hpp"
#include "primitives/testing/host_block.hpp"

namespace brickwork {
namespace {

template <class T>
void on_teams(const BrgemmLeagueProblem& p, const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& c,
              bool staged) {
  const auto league = brgemm_league(p, a.data(), b.data(), c.data());
  run_brgemm_league(host_space(), TeamBrick<T>{league.call, staged}, 1, league);
}

template <class T>
void on_warps(const BrgemmLeagueProblem& p, const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& c,
              CudaBrick of = CudaBrick::tensor_cores) {
  const auto league = brgemm_league(p, a.data(), b.data(), c.data());
  with_host_block<T, T, false>(of, league.call,
                               [&](const auto& brick) { run_brgemm_league(host_space(), brick, 1, league); });
}

template <class T>
void expect_exact() {
  for (const char* text : kLeagues) {
    for (const bool staged : {false, true}) {
      const auto teams = [&](const auto& p, const auto& a, const auto& b, auto& c) { on_teams(p, a, b, c, staged); };
      EXPECT_EQ(wrong_league<T>(text, teams), "") << text << (staged ? " staged" : " portable");
    }
    for (const CudaBrick brick : {CudaBrick::multiply_adds, CudaBrick::tensor_cores}) {
      if (brick == CudaBrick::multiply_adds && sizeof(T) == 2) continue;
      const auto warps = [&](const auto& p, const auto& a, const auto& b, auto& c) { on_warps(p, a, b, c, brick); };
      EXPECT_EQ(wrong_league<T>(text, warps), "") << text << " " << to_string(brick);
    }
  }
}

TEST(BrgemmLeague, IsExactWithEveryBrickOfAGpu) {
  expect_exact<float>();
  expect_exact<bf16>();
}

TEST(BrgemmLeague, AWrongResultIsSeen) {
  const auto nothing = [](const auto&...) {};
  EXPECT_NE(wrong_league<float>(kLeagues[0], nothing), "");
  const auto one_task_less = [](BrgemmLeagueProblem p, const auto& a, const auto& b, auto& c) {
    --p.tasks;
    on_warps<bf16>(p, a, b, c);
  };
  EXPECT_NE(wrong_league<bf16>(kLeagues[0], one_task_less), "");
}

}  // namespace
}  // namespace brickwork
