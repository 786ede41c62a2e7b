// Batch normalisation's passes on the host, on tensors of activations in blocks of channels.
//
// Work is cut into chunks of rows of one (n, cb). A chunk's sums are in f32; they are added up in f64 and in the
// chunks' order, so that every result has the same bits on any number of threads.
#pragma once
#include "aligned_buffer.hpp"
#include "batch_norm/batch_norm_plan.hpp"
#include "blocked_tensor.hpp"

namespace brickwork {

// Tensors are those of the passes (batch_norm_ops.hpp), of the problem's sizes in the plan's blocks; vectors hold C
// floats. What the problem does without is not looked at. The zeros beside dst's rows stay untouched, and features that
// pad the last block are zeros in dst, dsrc and dresidual where they are in what goes in.
class BatchNorm {
 public:
  // Throws std::invalid_argument with one sentence where the plan does not fit the problem.
  BatchNorm(const BatchNormProblem&, const BatchNormPlan&);

  const BatchNormPlan& plan() const { return plan_; }

  // None of these by two threads at once: sums and coefficients are this object's.

  // dst may be the residual.
  void forward(const BlockedInput& src, const float* gamma, const float* beta, const BlockedInput& residual,
               const BlockedOutput& dst, float* mean, float* variance);
  // dst may be src, or the residual.
  void infer(const BlockedInput& src, const float* gamma, const float* beta, const float* mean, const float* variance,
             const BlockedInput& residual, const BlockedOutput& dst);
  // dst is forward's: with a ReLU it says what was cut off. dsrc or dresidual may be ddst.
  void backward(const BlockedInput& src, const BlockedInput& ddst, const BlockedInput& dst, const float* gamma,
                const float* mean, const float* variance, const BlockedOutput& dsrc, float* dgamma, float* dbeta,
                const BlockedOutput& dresidual);

 private:
  struct Group;  // of blocks, which go through both sweeps of a pass before the next ones
  struct Chunk;

  template <class Pass>
  void for_each_group(const Pass& pass) const;
  template <class Sweep>
  void for_each_chunk(const Group&, const Sweep& sweep);
  template <class Finish>
  void for_each_block(const Group&, const Finish& finish) const;
  template <class Add>
  void add_chunks(std::int64_t cb, const Add& add) const;
  void normalise(const Group&, const BlockedInput& src, const BlockedInput& residual, const BlockedOutput& dst);
  void set_normalise(std::int64_t c, double mean, double variance, float gamma, float beta);
  float& term(int which, std::int64_t c) { return terms_[static_cast<std::size_t>(which * Cb_ * plan_.bc + c)]; }
  template <class... T>
  void check(const BlockedTensor<T>&...) const;

  BatchNormProblem problem_;
  BatchNormPlan plan_;
  std::int64_t Cb_, rows_, chunks_;  // rows of a chunk, chunks of an image
  AlignedBuffer<float> sums_;        // [cb][n][chunk][which][bc]
  AlignedBuffer<float> terms_;       // of the formula that an element goes through: [which][cb][bc]; 0 for padding
};

}  // namespace brickwork
