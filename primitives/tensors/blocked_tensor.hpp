// A view of a blocked activation tensor: a pointer and its layout.
#pragma once
#include <cstdint>
#include <stdexcept>

#include "kernels/layout/layout.hpp"

namespace brickwork {

// `data` is null if the problem has no such tensor. Tensors of one operation may differ in pad_w: the operation that
// reads a tensor next decides how many zeros it needs beside the rows.
template <class T>
struct BlockedTensor {
  T* data = nullptr;
  ActivationLayout layout;

  T* row(std::int64_t n, std::int64_t cb, std::int64_t h) const {
    return data == nullptr ? nullptr : data + layout.pixel(n, cb, h, 0);
  }
  std::int64_t next_row() const { return layout.Wp() * layout.bc; }

  // Throws std::logic_error if the tensor is missing or has other sizes.
  void expect(std::int64_t N, std::int64_t C, std::int64_t H, std::int64_t W, std::int64_t bc) const {
    const ActivationLayout& l = layout;
    if (data == nullptr || l.N != N || l.C != C || l.H != H || l.W != W || l.bc != bc || l.pad_w < 0) {
      throw std::logic_error("a blocked tensor is missing, or its sizes are not the problem's");
    }
  }
};

using BlockedInput = BlockedTensor<const float>;
using BlockedOutput = BlockedTensor<float>;

}  // namespace brickwork
