// How a recurrent layer is blocked.
#pragma once
#include <string>
#include <string_view>

#include "primitives/planning/machine_model.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

// Columns of the brick's widest register tile: four vectors of 16.
constexpr std::int64_t kColumnsOfTile = 64;

// As text "bc=64 bh=64 bk=16 bn=168 steps=1".
struct RnnPlan {
  static const SizeTable<RnnPlan>& table();

  std::int64_t bc = 0;     // features of x in a block, in the first layer
  std::int64_t bh = 0;     // features of the state in a block that a layer reads; a multiple of bk
  std::int64_t bk = 0;     // features of the state in a task, which computes their gates; a multiple of 16
  std::int64_t bn = 0;     // sequences of a task
  std::int64_t steps = 1;  // steps that share a call with x; with 1 the gates stay in the caches

  friend bool operator==(const RnnPlan&, const RnnPlan&) = default;
};

// Throws std::invalid_argument that names the wrong word.
RnnPlan parse_rnn_plan(std::string_view text);

// Why the plan does not fit, in one sentence; empty if it fits.
std::string misfit(const RnnProblem&, const RnnPlan&);

// The analytic choice for the host.
RnnPlan plan_rnn(const RnnProblem&, const MachineModel&);

// The analytic choice for a GPU, where a task is a block of threads.
RnnPlan plan_rnn_on_gpu(const RnnProblem&, std::int64_t multiprocessors);

}  // namespace brickwork
