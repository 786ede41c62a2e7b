// How attention is blocked.
#pragma once
#include <string>
#include <string_view>

#include "primitives/attention/op/attention_problem.hpp"
#include "primitives/planning/machine_model.hpp"

namespace brickwork {

// As text "bk=256 gk=256 tk=64 bt=50 bs=50".
struct AttentionPlan {
  static const SizeTable<AttentionPlan>& table();

  std::int64_t bk = 0;  // features in a block of the states' layout, as in recurrent layers
  std::int64_t gk = 0;  // features that are gathered into L2 at a time; divides bk
  std::int64_t tk = 0;  // features for which all states are in L1 together; divides gk
  std::int64_t bt = 0;  // forward: decoder steps of a task
  std::int64_t bs = 0;  // encoder steps that a sum over them takes at a time; a sequence's rest comes last

  friend bool operator==(const AttentionPlan&, const AttentionPlan&) = default;
};

// Throws std::invalid_argument that names the wrong word.
AttentionPlan parse_attention_plan(std::string_view text);

// Why the plan does not fit, in one sentence; empty if it fits.
std::string misfit(const AttentionProblem&, const AttentionPlan&);

// The analytic choice.
AttentionPlan plan_attention(const AttentionProblem&, const MachineModel&);
// For states that are already in blocks of bk features.
AttentionPlan plan_attention(const AttentionProblem&, const MachineModel&, std::int64_t bk);

}  // namespace brickwork
