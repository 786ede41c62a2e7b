// A tensor of activations where it lies in memory.
#pragma once
#include <cstdint>
#include <stdexcept>

#include "kernels/layout/layout.hpp"

namespace brickwork {

// Null where the problem does without the tensor. Tensors of one operation that are equal in all but pad_w may each
// have their own: what reads them next says how many zeros it wants beside the rows.
template <class T>
struct BlockedTensor {
  T* data = nullptr;
  ActivationLayout layout;

  T* row(std::int64_t n, std::int64_t cb, std::int64_t h) const {
    return data == nullptr ? nullptr : data + layout.pixel(n, cb, h, 0);
  }
  std::int64_t next_row() const { return layout.Wp() * layout.bc; }

  // Throws std::logic_error where the tensor is another one.
  void expect(std::int64_t N, std::int64_t C, std::int64_t H, std::int64_t W, std::int64_t bc) const {
    const ActivationLayout& l = layout;
    if (data == nullptr || l.N != N || l.C != C || l.H != H || l.W != W || l.bc != bc || l.pad_w < 0) {
      throw std::logic_error("a blocked tensor is missing, or not of the problem's sizes");
    }
  }
};

using BlockedInput = BlockedTensor<const float>;
using BlockedOutput = BlockedTensor<float>;

}  // namespace brickwork
