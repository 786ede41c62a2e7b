// Runs batch normalisation's passes on plain tensors, for tests. Output blocks hold other values before a pass;
// afterwards the memory that a pass must not write is checked.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/testing/guarded_buffer.hpp"
#include "primitives/batch_norm/batch_norm.hpp"
#include "primitives/batch_norm/op/batch_norm_ops.hpp"
#include "primitives/op/test_data.hpp"
#include "primitives/tensors/blocked_images.hpp"
#include "primitives/testing/spoilt_images.hpp"

namespace brickwork {

// The columns of zeros beside the rows of each tensor.
struct NormPads {
  std::int64_t src = 0, residual = 0, dst = 0, ddst = 0, dsrc = 0, dresidual = 0;
};

struct NormLeft {
  std::vector<double> mean, variance;
  std::uint8_t* mask;
};

class PlainBatchNorm {
 public:
  PlainBatchNorm(const BatchNormProblem& p, const BatchNormPlan& plan, const NormPads& pads = {})
      : p_(p),
        norm_(p, plan),
        pads_(pads),
        mask_(static_cast<std::size_t>(norm_.mask_bytes())),
        left_{std::vector<double>(static_cast<std::size_t>(p.C), NAN),
              std::vector<double>(static_cast<std::size_t>(p.C), NAN), mask_.data()} {}

  PlainTensors forward(const PlainTensors& in) {
    PlainTensors out = poisoned<BatchNormForwardOp>();
    const auto src = packed(in, "src", pads_.src), residual = packed(in, "residual", pads_.residual);
    auto dst = spoilt(pads_.dst);
    norm_.forward(src.input(), in.at<float>("gamma"), in.at<float>("beta"), residual.input(), dst.output(),
                  left_.mean.data(), left_.variance.data(), left_.mask);
    for (std::size_t c = 0; c < left_.mean.size(); ++c) {
      out.at<float>("mean")[c] = static_cast<float>(left_.mean[c]);
      out.at<float>("variance")[c] = static_cast<float>(left_.variance[c]);
    }
    unpack(dst, out.at<float>("dst"));
    return out;
  }

  PlainTensors infer(const PlainTensors& in) {
    PlainTensors out = poisoned<BatchNormInferenceOp>();
    const auto src = packed(in, "src", pads_.src), residual = packed(in, "residual", pads_.residual);
    auto dst = spoilt(pads_.dst);
    const auto in_double = [&](const char* name) {
      return std::vector<double>(in.at<float>(name), in.at<float>(name) + p_.C);
    };
    norm_.infer(src.input(), in.at<float>("gamma"), in.at<float>("beta"), in_double("mean").data(),
                in_double("variance").data(), residual.input(), dst.output());
    unpack(dst, out.at<float>("dst"));
    return out;
  }

  PlainTensors backward(const PlainTensors& in) {
    forward(in);
    return backward(in, left_);
  }
  PlainTensors backward(const PlainTensors& in, const NormLeft& left) {
    PlainTensors out = poisoned<BatchNormBackwardOp>();
    const auto src = packed(in, "src", pads_.src), ddst = packed(in, "ddst", pads_.ddst);
    auto dsrc = spoilt(pads_.dsrc), dresidual = spoilt(pads_.dresidual);
    norm_.backward(src.input(), ddst.input(), left.mask, in.at<float>("gamma"), left.mean.data(), left.variance.data(),
                   dsrc.output(), out.at<float>("dgamma"), out.at<float>("dbeta"), dresidual.output());
    unpack(dsrc, out.at<float>("dsrc"));
    unpack(dresidual, out.at<float>("dresidual"));
    return out;
  }

  const NormLeft& left() const { return left_; }
  std::span<std::uint8_t> mask() { return mask_.values(); }

 private:
  template <class Op>
  PlainTensors poisoned() const {
    PlainTensors out(Op::outputs(p_));
    poison(out);
    return out;
  }
  ActivationLayout layout(std::int64_t pad_w) const { return {p_.N, p_.C, p_.H, p_.W, pad_w, norm_.plan().bc}; }
  SpoiltImages spoilt(std::int64_t pad_w) const { return SpoiltImages(layout(pad_w)); }
  static void unpack(SpoiltImages& images, float* plain) {
    if (plain == nullptr) return;
    EXPECT_EQ(images.fault(), "");
    images.unpack(plain);
  }
  BlockedImages packed(const PlainTensors& in, const char* name, std::int64_t pad_w) const {
    const float* plain = in.at<float>(name);
    return plain == nullptr ? BlockedImages() : BlockedImages(layout(pad_w), plain);
  }

  BatchNormProblem p_;
  BatchNorm norm_;
  NormPads pads_;
  GuardedBuffer<std::uint8_t> mask_;
  NormLeft left_;
};

}  // namespace brickwork
