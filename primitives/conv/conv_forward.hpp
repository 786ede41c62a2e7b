// Convolution forward: five loops around the brick, in the plan's order.
//
// Algorithm: the direct convolution of arXiv 1906.06440 on blocked tensors. Filter rows that fall outside the image are
// left out of the batch, so src is padded in W only and their work is saved; what meets the padding in W is left to the
// brick to leave out.
#pragma once
#include <cstdint>
#include <vector>

#include "brgemm.hpp"
#include "conv/conv_plan.hpp"
#include "conv/conv_problem.hpp"
#include "layout.hpp"

namespace brickwork {

class ConvForward {
 public:
  // Unsupported where the backend has no brick for the plan's tiles. Throws std::invalid_argument for a plan that does
  // not fit the problem.
  static Result<ConvForward> make(const ConvProblem&, const ConvPlan&, Backend, Isa = Isa::best);

  const ConvPlan& plan() const { return plan_; }
  std::string_view isa() const { return bricks_[0][0][0]->isa(); }

  // Shapes of the blocked tensors that run() takes; residual has the layout of dst, bias has dst_layout().Cb() * bc
  // floats, those beyond K zero.
  const ActivationLayout& src_layout() const { return src_; }
  const WeightLayout& weights_layout() const { return weights_; }
  const ActivationLayout& dst_layout() const { return dst_; }

  // bias and residual are read where the problem's epilogue asks for them, and may be null otherwise.
  void run(const float* src, const float* weights, const float* bias, const float* residual, float* dst) const;

 private:
  ConvForward(const ConvProblem&, const ConvPlan&);
  BrgemmShape brick_shape(std::int64_t pixels, int beta, bool prefetch) const;
  std::int64_t next_src() const;

  ConvProblem problem_;
  ConvPlan plan_;
  LoopNest nest_;
  ActivationLayout src_, dst_;
  WeightLayout weights_;
  std::int64_t cols_;  // output pixels of a row as the loops see it

  // [a whole block of pixels | the rest of a row][beta 0 | beta 1][as is | prefetching the next call's src]
  BrgemmKernelPtr bricks_[2][2][2];
  // Bytes from a call's first member to each of its batch, (cb, r, s) with s fastest; s only where the taps are not in
  // k. [number of filter rows inside the image]
  std::vector<std::vector<std::uint64_t>> src_offsets_, weights_offsets_;
  std::int64_t members_;  // for each cb and filter row
  bool src_stays_;        // in L2 from one block of output features to the next, as images are outside them
};

}  // namespace brickwork
