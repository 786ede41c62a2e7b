// How a recurrent layer is blocked.
#pragma once
#include <string>
#include <string_view>

#include "primitives/planning/machine_model.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

// Of the brick's widest register tile, four vectors.
constexpr std::int64_t kColumnsOfTile = 64;

// Its text is "bc=64 bh=64 bk=16 bn=168 steps=1".
struct RnnPlan {
  static const SizeTable<RnnPlan>& table();

  std::int64_t bc = 0;     // features of x in a block, of the first layer
  std::int64_t bh = 0;     // features of the state in a block, as those that come in; a multiple of bk
  std::int64_t bk = 0;     // features of the state whose gates are a task, a multiple of 16
  std::int64_t bn = 0;     // sequences of a task
  std::int64_t steps = 1;  // whose share of x is added up in one go: 1 step, so that gates stay in the caches, to all

  friend bool operator==(const RnnPlan&, const RnnPlan&) = default;
};

// Throws std::invalid_argument naming the offending word.
RnnPlan parse_rnn_plan(std::string_view text);

// What does not fit, in one sentence, or nothing.
std::string misfit(const RnnProblem&, const RnnPlan&);

// The analytic choice.
RnnPlan plan_rnn(const RnnProblem&, const MachineModel&);

// On a GPU, whose blocks of threads are tasks.
RnnPlan plan_rnn_on_gpu(const RnnProblem&, std::int64_t multiprocessors);

}  // namespace brickwork
