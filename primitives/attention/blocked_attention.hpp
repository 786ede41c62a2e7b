// Attention on states in blocks of features over all steps, as recurrent layers write and read them: the loops around
// the brick.
//
// Of a sequence and a block of decoder steps the scores are the brick's sums over the blocks of features, of keys with
// queries that are transposed as they come into the cache; their softmax is taken in the cache, and what it gives is
// the transposed A of the products with the values. A state's rows of the same sequence lie N rows apart, which for
// many N is one set of a cache: they are brought together in the task's scratch, some tiles of features at a time, and
// meanwhile the bricks ask for the rows that come next. The way back has the same products.
//
// Source: Luong et al., "Effective Approaches to Attention-based Neural Machine Translation" (arXiv 1508.04025).
#pragma once
#include <array>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/attention/attention_plan.hpp"
#include "primitives/attention/attention_sums.hpp"
#include "primitives/rnn/rnn_directed_layer.hpp"
#include "primitives/rnn/rnn_steps.hpp"

namespace brickwork {

class BlockedAttention {
 public:
  // Queries and context, keys and values: the first step of each in its slot.
  struct Shape {
    AttentionProblem problem;
    RnnSteps decoder, encoder;
    std::int64_t first_decoder = 0, first_encoder = 0;
  };

  // Training keeps the weights for the way back. The plan's bk is the block of both layouts.
  static Result<BlockedAttention> make(const Shape&, const AttentionPlan&, RnnUse, Backend, Isa, const SimdTuning&);

  // Lengths are null where they are equal, and each from 1 to S.
  void run(const float* queries, const float* keys, const float* values, const std::int32_t* lengths, float* context);

  struct Gradients {
    float* queries = nullptr;
    bool add_to_queries = false;               // to what is there
    float *keys = nullptr, *values = nullptr;  // the same ones get the sum of both
  };
  // Behind run(), of training and with what it had.
  void run_backward(const float* queries, const float* keys, const float* values, const std::int32_t* lengths,
                    const float* dcontext, const Gradients&);

  // Of training: weights [N][T][S].
  void get_weights(const std::int32_t* lengths, float* weights) const;

  std::string_view isa() const { return scores_[0]->isa(); }

 private:
  BlockedAttention(const Shape&, const AttentionPlan&, RnnUse);

  std::int64_t tile_size() const { return shape_.problem.S * width_; }
  float* kept_at(std::int64_t n, std::int64_t tb) { return kept_.data() + (n * Tb_ + tb) * tile_size(); }
  std::int64_t length_of(const std::int32_t* lengths, std::int64_t n) const {
    return lengths == nullptr ? shape_.problem.S : lengths[n];
  }
  // Where the k-th tile of features of sequence n begins at step t.
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
  // The rows of a group of tiles, of which `first` is the first one.
  NextRows rows_at(const float* first, std::int64_t steps) const;
  void gather(const NextRows& from, std::int64_t steps_of_tile, float* tiles) const;
  void clear(float* from, std::int64_t steps) const;
  void add_scores(std::int64_t k, const float* rows, const float* columns, std::int64_t length, float* tile,
                  const NextRows&) const;

  Shape shape_;
  AttentionPlan plan_;
  std::int64_t Kg_, Tb_;     // groups of tiles of features, blocks of decoder's steps
  std::int64_t tiles_;       // of a group
  std::int64_t ld_, width_;  // of gathered rows; of a tile of scores, of whole vectors: nobody reads what is behind bt
  std::array<BrgemmKernelPtr, 2> scores_;  // by beta
  SumOverSteps over_encoder_, over_decoder_;
  AlignedBuffer<float> kept_;  // [N][Tb][S][width], the weights transposed
};

}  // namespace brickwork
