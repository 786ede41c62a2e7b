// Batch normalisation's passes on the host, on activations in blocks of channels.
//
// Work is cut into chunks: rows of one (n, cb), or the whole images of several n. A chunk's sums are f32. They are
// added up in f64, in the order of the chunks, so that results have the same bits on any number of threads.
//
// Mean and variance are f64: far from zero, an f32 mean has a larger error than the values. If values lie more than
// 1e22 apart, their variance is far above the largest f32 and a chunk's sums may overflow. Then the variance is
// infinite and dst is beta plus the residual, or both are NaN. NaN and infinities among the values give what the
// formula gives.
#pragma once
#include "kernels/base/aligned_buffer.hpp"
#include "primitives/batch_norm/batch_norm_plan.hpp"
#include "primitives/tensors/blocked_tensor.hpp"

namespace brickwork {

// Tensors are those of the passes (batch_norm_ops.hpp), in the plan's blocks; vectors hold C values. A tensor that the
// problem does not have is ignored. The zeros beside dst's rows stay untouched. Features that pad the last block are
// zeros in dst, dsrc and dresidual if they are zeros in the inputs.
class BatchNorm {
 public:
  // Throws std::invalid_argument with one sentence if the plan does not fit the problem.
  BatchNorm(const BatchNormProblem&, const BatchNormPlan&);

  const BatchNormPlan& plan() const { return plan_; }

  // The size of the mask that a ReLU's forward pass leaves for the backward pass: one bit per element that says whether
  // dst is above 0, so that dst need not be kept or read. All plans of one bc have the same mask: the passes may use
  // one object or two.
  std::int64_t mask_bytes() const;

  // Two threads must not call these at once: sums and coefficients belong to the object.

  // dst may be the residual. mask may be null.
  void forward(const BlockedInput& src, const float* gamma, const float* beta, const BlockedInput& residual,
               const BlockedOutput& dst, double* mean, double* variance, std::uint8_t* mask);
  // dst may be src, or the residual.
  void infer(const BlockedInput& src, const float* gamma, const float* beta, const double* mean, const double* variance,
             const BlockedInput& residual, const BlockedOutput& dst);
  // mask is forward's, and ignored without a ReLU. dsrc or dresidual may be ddst.
  void backward(const BlockedInput& src, const BlockedInput& ddst, const std::uint8_t* mask, const float* gamma,
                const double* mean, const double* variance, const BlockedOutput& dsrc, float* dgamma, float* dbeta,
                const BlockedOutput& dresidual);

 private:
  struct Group;  // blocks of channels that go through both sweeps of a pass before the next ones
  struct Chunk;
  // The second sweep of a pass goes downwards: it begins with what the first one has read last. If a group is larger
  // than the caches, they hold nothing else of it.
  enum class Order { upwards, downwards };

  std::int64_t chunks() const;  // of a block of channels
  Chunk chunk_at(std::int64_t cb, std::int64_t chunk);
  template <class Pass>
  void for_each_group(const Pass& pass) const;
  template <class Sweep>
  void for_each_chunk(const Group&, Order, const Sweep& sweep);
  template <class Finish>
  void for_each_block(const Group&, const Finish& finish) const;
  template <class Add>
  void add_chunks(std::int64_t cb, const Add& add);
  void normalise(const Group&, Order, const BlockedInput& src, const BlockedInput& residual, const BlockedOutput& dst,
                 std::uint8_t* mask);
  void set_normalise(std::int64_t c, double mean, double variance, float gamma, float beta);
  float& term(int which, std::int64_t c) { return terms_[static_cast<std::size_t>(which * Cb_ * plan_.bc + c)]; }
  template <class... T>
  void check(const BlockedTensor<T>&...) const;

  BatchNormProblem problem_;
  BatchNormPlan plan_;
  std::int64_t Cb_, images_, rows_;  // images and rows of a chunk
  AlignedBuffer<float> sums_;        // [cb][chunk][which][bc]
  AlignedBuffer<float> terms_;       // coefficients of an element's formula: [which][cb][bc]; 0 for padding
};

}  // namespace brickwork
