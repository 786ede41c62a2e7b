// Checks the result of a league of brick calls, for operands of any type and any way to run it.
#pragma once
#include <string>
#include <vector>

#include "primitives/brgemm/brgemm_league_blocks.hpp"
#include "primitives/brgemm/op/brgemm_league_op.hpp"
#include "primitives/testing/tensors_of_type.hpp"

namespace brickwork {

// Why C is wrong, or an empty string. Calls run(p, a, b, c) with vectors in host memory. Inputs are small integers,
// which bf16 and TF32 represent exactly.
template <class T, class Run>
std::string wrong_league(const char* text, const Run& run) {
  const auto p = parse_problem<BrgemmLeagueProblem>(text);
  const auto t = make_checkable_test_data<BrgemmLeagueOp>(p, Fill::integers);
  std::vector<float> blocks(t.inputs.values<float>(0).size());
  pack_league_a(p, t.inputs.at<float>("A"), blocks.data());
  std::vector<T> c = nans<T>(p.tasks * p.m * p.n);
  run(p, as<T>(blocks), as<T>(t.inputs.values<float>(1)), c);
  return wrong_outputs<BrgemmLeagueOp, T>(
      p, t, [&](const std::string&, float* plain) { std::ranges::copy(as<float>(c), plain); });
}

// Whole and partial tiles of tensor cores, tall and short, wide and narrow; batches of 1 to 9.
inline constexpr const char* kLeagues[] = {
    "tasks3 m128 n128 k32 batch3", "tasks2 m56 n64 k64 batch2", "tasks5 m7 n20 k12",
    "tasks2 m130 n72 k33 batch4",  "tasks1 m1 n1 k1",           "tasks7 m32 n136 k8 batch9"};

}  // namespace brickwork
