// Checks a pass of convolution on tensors of any type, for any way to run it. Inputs are small integers, which bf16 and
// TF32 represent exactly: the tolerance is 0, except for the rounding of bf16 outputs. Each function returns why the
// result is wrong, or an empty string.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "primitives/conv/backward/conv_backward_blocking.hpp"
#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/op/conv_backward_data_op.hpp"
#include "primitives/conv/op/conv_weight_update_op.hpp"
#include "primitives/conv/testing/conv_forward_check.hpp"
#include "primitives/conv/update/conv_update_blocking.hpp"
#include "primitives/testing/tensors_of_type.hpp"

namespace brickwork {

template <class T>
std::vector<T> packed_nchw(const ActivationLayout& layout, const float* plain) {
  AlignedBuffer<float> packed(static_cast<std::size_t>(layout.size()));
  if (plain != nullptr) pack_nchw(layout, plain, packed.data());
  return as<T>(packed);
}

// Calls run(blocking, src, weights, bias, residual, dst) with vectors in host memory.
template <class T, class TC, class Run>
std::string wrong_forward(const ConvProblem& p, const ConvPlan& plan, const TestData& t, const Run& run) {
  const auto blocking = ConvForwardBlocking::make(p, plan, dtype_of<T>());
  if (!blocking) return blocking.reason();
  BlockedConvForward f32(blocking->src_layout(), blocking->weights_layout(), blocking->dst_layout(), t.inputs);
  std::vector<TC> dst = as<TC>(f32.dst);
  run(*blocking, as<T>(f32.src), as<T>(f32.weights), as<float>(f32.bias), as<TC>(f32.residual), dst);
  return wrong_outputs<ConvForwardOp, TC>(p, t, [&](const std::string&, float* plain) {
    unpack_nchw(blocking->dst_layout(), as<float>(dst).data(), plain);
  });
}

// Calls run(blocking, ddst, weights, residual, at, dsrc).
template <class T, class TC, class Run>
std::string wrong_backward(const ConvProblem& p, const ConvPlan& plan, const TestData& t, const Run& run) {
  const auto blocking = ConvBackwardBlocking::make(p, plan, dtype_of<T>());
  if (!blocking) return blocking.reason();
  std::vector<float> weights(static_cast<std::size_t>(blocking->weights_size()));
  blocking->pack_weights(t.inputs.at<float>("weights"), weights.data());
  std::vector<TC> dsrc = nans<TC>(blocking->dsrc_layout().size());
  run(*blocking, packed_nchw<T>(blocking->ddst_layout(), t.inputs.at<float>("ddst")), as<T>(weights),
      packed_nchw<TC>(blocking->dsrc_layout(), t.inputs.at<float>("residual")),
      packed_nchw<TC>(blocking->dsrc_layout(), t.inputs.at<float>("at")), dsrc);
  return wrong_outputs<ConvBackwardDataOp, TC>(p, t, [&](const std::string&, float* plain) {
    unpack_nchw(blocking->dsrc_layout(), as<float>(dsrc).data(), plain);
  });
}

// Calls run(blocking, src, ddst, dweights, dbias).
template <class T, class TC, class Run>
std::string wrong_update(const ConvProblem& p, const ConvUpdatePlan& plan, const TestData& t, const Run& run) {
  const auto blocking = ConvUpdateBlocking::make(p, plan, dtype_of<T>());
  if (!blocking) return blocking.reason();
  std::vector<TC> dweights = nans<TC>(blocking->dweights_layout().size()), dbias = nans<TC>(blocking->dbias_size());
  run(*blocking, packed_nchw<T>(blocking->src_layout(), t.inputs.at<float>("src")),
      packed_nchw<T>(blocking->ddst_layout(), t.inputs.at<float>("ddst")), dweights, dbias);
  return wrong_outputs<ConvWeightUpdateOp, TC>(p, t, [&](const std::string& name, float* plain) {
    if (name == "dbias") {
      std::copy_n(as<float>(dbias).begin(), p.K, plain);
    } else {
      unpack_kcrs(blocking->dweights_layout(), as<float>(dweights).data(), plain);
    }
  });
}

// Small layers of each kind: 1x1, 3x3, strides with phases without taps, a first layer, and fully connected layers.
inline constexpr const char* kForwardOnGpu[] = {
    "N2 C20 K40 H9 R3 ph1 bias+residual+relu", "N1 C3 K64 H20 R7 sh2 ph3", "N2 C64 K64 H7",
    "N1 C64 K72 H3 W131 R3 ph1 relu",          "N1 C130 K67 H9 W5 R3 sh2", "N3 C64 K136 H12 sh2 bias",
    "N1 C72 K200 H1 W140 bias+relu",           "N1 C33 K10 H1 W7"};
inline constexpr const char* kTrainingOnGpu[] = {
    "N2 C20 K40 H9 R3 ph1", "N1 C3 K64 H20 R7 sh2 ph3", "N2 C64 K64 H7",    "N1 C130 K67 H9 W5 R3 sh2",
    "N3 C64 K136 H12 sh2",  "N1 C72 K200 H1 W140",      "N1 C33 K10 H1 W7", "N2 C24 K16 H9 W7 sh2",
    "N2 C12 K20 H7 sh2 ph1"};  // phases without taps have fewer or more pixels

}  // namespace brickwork
