#include "primitives/conv/testing/conv_forward_check.hpp"

#include <algorithm>
#include <limits>

#include "primitives/conv/conv_pack.hpp"

namespace brickwork {

TestData conv_forward_test_data(const ConvProblem& p) {
  return make_checkable_test_data<ConvForwardOp>(p, Fill::integers);
}

BlockedConvForward::BlockedConvForward(const ActivationLayout& src_layout, const WeightLayout& weights_layout,
                                       const ActivationLayout& out, const PlainTensors& inputs)
    : dst_layout(out),
      src(static_cast<std::size_t>(src_layout.size())),
      weights(static_cast<std::size_t>(weights_layout.size())),
      bias(static_cast<std::size_t>(out.Cb() * out.bc)),
      residual(static_cast<std::size_t>(out.size())),
      dst(static_cast<std::size_t>(out.size())) {
  pack_nchw(src_layout, inputs.at<float>("src"), src.data());
  pack_kcrs(weights_layout, inputs.at<float>("weights"), weights.data());
  if (const float* plain = inputs.at<float>("bias")) std::copy_n(plain, out.C, bias.data());
  if (const float* plain = inputs.at<float>("residual")) pack_nchw(out, plain, residual.data());
  std::ranges::fill(dst, std::numeric_limits<float>::quiet_NaN());
}

std::string BlockedConvForward::wrong(const ConvProblem& p, const TestData& t) const {
  PlainTensors plain(ConvForwardOp::outputs(p));
  poison(plain);
  unpack_nchw(dst_layout, dst.data(), plain.at<float>("dst"));
  return compare(plain, t.expected, t.tolerance).reason;
}

}  // namespace brickwork
