// A blocked activation tensor that owns its memory.
#pragma once
#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/conv_pack.hpp"
#include "primitives/tensors/blocked_tensor.hpp"

namespace brickwork {

class BlockedImages {
 public:
  BlockedImages() = default;                                                                         // no tensor
  explicit BlockedImages(const ActivationLayout& layout) : layout_(layout), data_(layout.size()) {}  // zeros
  BlockedImages(const ActivationLayout& layout, const float* nchw) : BlockedImages(layout) { pack(nchw); }

  BlockedInput input() const { return {data_.data(), layout_}; }
  BlockedOutput output() { return {data_.data(), layout_}; }
  void pack(const float* nchw) { pack_nchw(layout_, nchw, data_.data()); }
  void unpack(float* nchw) const { unpack_nchw(layout_, data_.data(), nchw); }

 private:
  ActivationLayout layout_;
  AlignedBuffer<float> data_;
};

}  // namespace brickwork
