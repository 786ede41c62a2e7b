// How attention is blocked.
#pragma once
#include <string>
#include <string_view>

#include "primitives/attention/op/attention_problem.hpp"
#include "primitives/planning/machine_model.hpp"

namespace brickwork {

// Its text is "bk=256 gk=256 tk=64 bt=50 bs=50".
struct AttentionPlan {
  static const SizeTable<AttentionPlan>& table();

  std::int64_t bk = 0;  // features in a block, as recurrent layers have them
  std::int64_t gk = 0;  // of those, features that are brought together at a time, into L2; divides bk
  std::int64_t tk = 0;  // of those, features whose states are in L1 together; divides gk
  std::int64_t bt = 0;  // decoder's steps of a task forward
  std::int64_t bs = 0;  // encoder's steps that a sum over them takes at a time; what is left of a sequence comes last

  friend bool operator==(const AttentionPlan&, const AttentionPlan&) = default;
};

// Throws std::invalid_argument naming the offending word.
AttentionPlan parse_attention_plan(std::string_view text);

// What does not fit, in one sentence, or nothing.
std::string misfit(const AttentionProblem&, const AttentionPlan&);

// The analytic choice.
AttentionPlan plan_attention(const AttentionProblem&, const MachineModel&);
// Where the states lie in blocks of bk features already.
AttentionPlan plan_attention(const AttentionProblem&, const MachineModel&, std::int64_t bk);

}  // namespace brickwork
