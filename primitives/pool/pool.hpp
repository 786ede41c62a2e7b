// Pooling's passes on the host, on tensors of activations in blocks of channels. No two threads write one element, and
// what a pixel gathers it adds up in the order of the windows: the same bits on any number of threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/pool/pool_plan.hpp"
#include "primitives/pool/pool_rows.hpp"
#include "primitives/tensors/blocked_tensor.hpp"

namespace brickwork {

// Tensors are those of the passes (pool_ops.hpp) in the plan's blocks. The zeros beside an output's rows stay
// untouched.
class Pool {
 public:
  // Throws std::invalid_argument with one sentence where the plan does not fit the problem.
  Pool(const PoolProblem&, const PoolPlan&);

  const PoolPlan& plan() const { return plan_; }

  // Where max found each element of dst: the tap r * S + s of its window, in as many bytes as that takes, in the
  // tensor's layout, whose rows have nothing beside them. A tap rather than a pixel, as it says the same wherever the
  // window lies. Of an average it is empty.
  AlignedBuffer<std::byte> make_indices() const;

  // indices may be null; an average has none.
  void forward(const BlockedInput& src, const BlockedOutput& dst, std::byte* indices) const;
  // indices are forward's; an average does not look at them.
  void backward(const BlockedInput& ddst, const std::byte* indices, const BlockedOutput& dsrc) const;

 private:
  PoolGeometry geometry() const;
  ActivationLayout indices_layout() const { return {problem_.N, problem_.C, problem_.P(), problem_.Q(), 0, plan_.bc}; }
  template <class SomeRows>
  void for_each_rows(std::int64_t rows, std::int64_t pixels, const SomeRows& some_rows) const;

  PoolProblem problem_;
  PoolPlan plan_;
  std::vector<PoolAxis::Range> column_windows_;
  std::vector<float> row_shares_, column_shares_;
};

}  // namespace brickwork
