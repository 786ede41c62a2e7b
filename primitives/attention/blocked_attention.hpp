// Attention on states in blocks of features over all steps, as recurrent layers write and read them: the loops around
// the brick.
//
// A task of forward has a sequence and a block of decoder steps. Its scores are the brick's sums over blocks of
// features of keys times queries, which are transposed when they come into the cache. The softmax is computed in the
// cache; its result is the transposed A of the products with the values. Rows of one sequence are N rows apart, which
// for many N is one set of a cache. A task therefore gathers them in its scratch, some tiles of features at a time,
// while the bricks prefetch the rows that come next. Backward has the same products, with a task per sequence.
//
// Source: Luong et al., "Effective Approaches to Attention-based Neural Machine Translation" (arXiv 1508.04025).
#pragma once
#include <array>
#include <functional>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/attention/attention_plan.hpp"
#include "primitives/attention/attention_sums.hpp"
#include "primitives/rnn/rnn_directed_layer.hpp"
#include "primitives/rnn/rnn_steps.hpp"

namespace brickwork {

class BlockedAttention {
 public:
  // Queries and context have the layout `decoder`, keys and values `encoder`; their first steps are in these slots.
  struct Shape {
    AttentionProblem problem;
    RnnSteps decoder, encoder;
    std::int64_t first_decoder = 0, first_encoder = 0;
  };

  // Training keeps the weights for backward. The plan's bk is the block of both layouts.
  static Result<BlockedAttention> make(const Shape&, const AttentionPlan&, RnnUse, Backend, Isa, const SimdTuning&);
  // With kernels of any origin.
  using MakeKernel = std::function<Result<BrgemmKernelPtr>(const BrgemmShape&, const BrgemmHints&)>;
  static Result<BlockedAttention> make(const Shape&, const AttentionPlan&, RnnUse, const SimdTuning&,
                                       const MakeKernel&);

  // lengths is null if all are S; each must be from 1 to S.
  void run(const float* queries, const float* keys, const float* values, const std::int32_t* lengths, float* context);

  struct Gradients {
    float* queries = nullptr;
    bool add_to_queries = false;               // instead of overwriting them
    float *keys = nullptr, *values = nullptr;  // two equal pointers get the sum of both
  };
  // Training only, after run(), with the same states and lengths.
  void run_backward(const float* queries, const float* keys, const float* values, const std::int32_t* lengths,
                    const float* dcontext, const Gradients&);

  // Training only: weights [N][T][S].
  void get_weights(const std::int32_t* lengths, float* weights) const;

  std::string_view isa() const { return scores_[0]->isa(); }

 private:
  BlockedAttention(const Shape&, const AttentionPlan&, RnnUse);

  std::int64_t tile_size() const { return shape_.problem.S * width_; }
  float* kept_at(std::int64_t n, std::int64_t tb) { return kept_.data() + (n * Tb_ + tb) * tile_size(); }
  std::int64_t length_of(const std::int32_t* lengths, std::int64_t n) const {
    return lengths == nullptr ? shape_.problem.S : lengths[n];
  }
  // Where tile k of the features of sequence n begins at step t.
  std::int64_t decoder_at(std::int64_t k, std::int64_t t, std::int64_t n) const {
    return at(shape_.decoder, k, shape_.first_decoder + t, n);
  }
  std::int64_t encoder_at(std::int64_t k, std::int64_t s, std::int64_t n) const {
    return at(shape_.encoder, k, shape_.first_encoder + s, n);
  }
  std::int64_t at(const RnnSteps& states, std::int64_t k, std::int64_t slot, std::int64_t n) const {
    const std::int64_t of_block = plan_.bk / plan_.tk;
    return k / of_block * states.block_size() + slot * states.slot_size() + n * plan_.bk + k % of_block * plan_.tk;
  }
  // The rows of a group of tiles that begins at `first`.
  NextRows rows_at(const float* first, std::int64_t steps) const;
  void gather(const NextRows& from, std::int64_t steps_of_tile, float* tiles) const;
  void clear(float* from, std::int64_t steps) const;
  void add_scores(std::int64_t k, const float* rows, const float* columns, std::int64_t length, float* tile,
                  const NextRows&) const;

  Shape shape_;
  AttentionPlan plan_;
  std::int64_t Kg_, Tb_;     // groups of tiles of features, blocks of decoder steps
  std::int64_t tiles_;       // of a group
  std::int64_t ld_, width_;  // of gathered rows; of a tile of scores, in whole vectors, of which bt columns are read
  std::array<BrgemmKernelPtr, 2> scores_;  // by beta
  SumOverSteps over_encoder_, over_decoder_;
  AlignedBuffer<float> kept_;  // [N][Tb][S][width], the weights transposed
};

}  // namespace brickwork
