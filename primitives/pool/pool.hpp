// Pooling's passes on the host, on activations in blocks of channels. No two threads write the same element, and a
// pixel adds up its gradients in the order of the windows: results have the same bits on any number of threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/pool/pool_plan.hpp"
#include "primitives/pool/pool_rows.hpp"
#include "primitives/tensors/blocked_tensor.hpp"

namespace brickwork {

// Tensors are those of the passes (pool_ops.hpp), in the plan's blocks. The zeros beside an output's rows stay
// untouched.
class Pool {
 public:
  // Throws std::invalid_argument with one sentence if the plan does not fit the problem.
  Pool(const PoolProblem&, const PoolPlan&);

  const PoolPlan& plan() const { return plan_; }

  // Indices: for each element of dst, the tap r * S + s of its window that was the largest, in index_bytes() bytes. The
  // layout is dst's without anything beside the rows. A tap, unlike a pixel, does not depend on where the window lies.
  // Empty for an average.
  AlignedBuffer<std::byte> make_indices() const;

  // indices may be null, and are for an average.
  void forward(const BlockedInput& src, const BlockedOutput& dst, std::byte* indices) const;
  // indices are forward's; an average ignores them.
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
