// Attention forward and backward on plain tensors, which are kept in blocks (blocked_attention.hpp).
#pragma once
#include <vector>

#include "primitives/attention/blocked_attention.hpp"

namespace brickwork {

struct AttentionWork {
  AttentionProblem problem;
  RnnUse use = RnnUse::inference;  // training keeps the weights for backward
};

// Scores before scaling, and the products of dcontext with values, must be finite in f32. Then all results that are
// finite by definition are finite here, however large.
class Attention {
 public:
  // Refused if the plan does not fit.
  static Result<Attention> make(const AttentionWork&, const AttentionPlan&, Backend, Isa = Isa::best,
                                const SimdTuning& = {});

  // Plain tensors are those of attention_ops.hpp.
  void set_states(const float* queries, const float* keys, const float* values);
  // [N], or null if all are S; throws std::invalid_argument if one is not from 1 to S.
  void set_lengths(const std::int32_t* lengths);

  void run();
  void get_context(float* context) const;

  // Training only.
  void get_weights(float* weights) const { tiles_.get_weights(lengths(), weights); }
  void set_gradient(const float* dcontext);
  void run_backward();  // after run()
  void get_gradients(float* dqueries, float* dkeys, float* dvalues) const;

  const AttentionPlan& plan() const { return plan_; }
  std::string_view isa() const { return tiles_.isa(); }

 private:
  Attention(const AttentionWork&, const AttentionPlan&, BlockedAttention);

  const std::int32_t* lengths() const { return lengths_.empty() ? nullptr : lengths_.data(); }

  AttentionProblem problem_;
  AttentionPlan plan_;
  BlockedAttention tiles_;
  RnnSteps decoder_, encoder_;
  std::vector<std::int32_t> lengths_;
  AlignedBuffer<float> queries_, keys_, values_, context_;
  AlignedBuffer<float> dcontext_, dqueries_, dkeys_, dvalues_;  // training only
};

}  // namespace brickwork
