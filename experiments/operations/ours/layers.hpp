// The operations that run as convolutions, for conv_passes.hpp and gpu_conv_passes.hpp.
#pragma once
#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/op/conv_backward_data_op.hpp"
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/conv/op/conv_weight_update_op.hpp"
#include "primitives/conv/winograd/conv_winograd_plan.hpp"
#include "primitives/fc/fc_layers.hpp"
#include "primitives/fc/op/fc_ops.hpp"

namespace brickwork {

struct ConvLayers {
  using Forward = ConvForwardOp;
  using BackwardData = ConvBackwardDataOp;
  using WeightUpdate = ConvWeightUpdateOp;

  static const ConvProblem& problem(const ConvProblem& p) { return p; }
  static bool reads(std::string_view plan) { return !is_winograd_plan(plan); }
  static constexpr auto pack = pack_nchw, unpack = unpack_nchw;
};

struct FcLayers {
  using Forward = FcForwardOp;
  using BackwardData = FcBackwardDataOp;
  using WeightUpdate = FcWeightUpdateOp;

  static ConvProblem problem(const FcProblem& p) { return conv_of(p); }
  static constexpr auto pack = pack_nhwc, unpack = unpack_nhwc;
};

}  // namespace brickwork
