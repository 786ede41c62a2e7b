// A blocked output that shows what a driver writes wrongly. The driver must write every pixel, and 0 for features that
// pad the last block; it must write nothing beside the rows.
#pragma once
#include <limits>
#include <string>

#include "primitives/tensors/blocked_images.hpp"

namespace brickwork {

class SpoiltImages {
 public:
  explicit SpoiltImages(const ActivationLayout& layout) : layout_(layout), images_(layout) {
    for_each([](float& x, bool inside, bool) { x = inside ? std::numeric_limits<float>::quiet_NaN() : kBeside; });
  }

  BlockedOutput output() { return images_.output(); }
  void unpack(float* nchw) const { images_.unpack(nchw); }

  // What is wrong outside the values that unpack() gives; empty if nothing is.
  std::string fault() {
    std::string what;
    for_each([&](float& x, bool inside, bool padding) {
      if (!inside && x != kBeside) what = "a column beside the rows was written";
      if (inside && padding && x != 0) what = "a feature that pads the last block is not 0";
    });
    return what;
  }

 private:
  static constexpr float kBeside = 7;

  template <class Each>
  void for_each(const Each& each) {
    const ActivationLayout& l = layout_;
    for (std::int64_t n = 0; n < l.N; ++n)
      for (std::int64_t c = 0; c < l.Cb() * l.bc; ++c)
        for (std::int64_t h = 0; h < l.H; ++h)
          for (std::int64_t w = -l.pad_w; w < l.W + l.pad_w; ++w)
            each(images_.output().data[l.index(n, c, h, w)], w >= 0 && w < l.W, c >= l.C);
  }

  ActivationLayout layout_;
  BlockedImages images_;
};

}  // namespace brickwork
