// The passes of a fully connected layer as operations: tensors, FLOPs and reference definitions. The definitions share
// no code with the drivers that they check.
#pragma once
#include "primitives/conv/op/conv_backward_data_op.hpp"
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/conv/op/conv_weight_update_op.hpp"
#include "primitives/fc/op/fc_problem.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// A layer's pass is the pass of a convolution of N images of one pixel. Its plain tensors have the layer's layout.
template <class ConvOp>
struct FcPass {
  using Problem = FcProblem;
  static constexpr std::string_view primitive = "fc", pass = ConvOp::pass;
  static constexpr std::int64_t FcProblem::*images = &FcProblem::N;
  static constexpr bool sum_of_products = true;
  static constexpr EpilogueSteps steps = ConvOp::steps;

  static void check_taken(const FcProblem& p) { require_steps(p.epilogue, steps, pass); }
  static bool curved(const FcProblem& p) { return is_curve(p.epilogue.activation); }
  static std::vector<TensorInfo> inputs(const FcProblem& p) { return rows(ConvOp::inputs(conv(p))); }
  static std::vector<TensorInfo> outputs(const FcProblem& p) { return rows(ConvOp::outputs(conv(p))); }
  static std::int64_t terms(const FcProblem& p) { return ConvOp::terms(conv(p)); }
  static double flops(const FcProblem& p) { return p.flops(); }
  static void reference(const FcProblem& p, const PlainTensors& in, PlainTensors& out) {
    ConvOp::reference(conv(p), in, out);
  }

 private:
  static ConvProblem conv(const FcProblem& p) {
    return {.N = p.N, .C = p.C, .K = p.K, .H = 1, .W = 1, .epilogue = p.epilogue};
  }
  static std::vector<TensorInfo> rows(std::vector<TensorInfo> infos) {
    for (TensorInfo& info : infos) {
      if (info.dims.size() > 2) info.dims = {info.dims[0], info.dims[1]};
    }
    return infos;
  }
};

// Tensors: src [N][C], weights [K][C], bias [K] and residual [N][K] if the epilogue has them; dst [N][K].
struct FcForwardOp : FcPass<ConvForwardOp> {};

// The gradient of src from the gradient of dst: dsrc[n][c] = sum over k of ddst[n][k] * weights[k][c], and then the
// epilogue: + residual, times the derivative of the activation that made src. Tensors: ddst [N][K], weights [K][C];
// residual [N][C] and `at` [N][C], at which the derivative is taken, if the epilogue has them; dsrc [N][C].
struct FcBackwardDataOp : FcPass<ConvBackwardDataOp> {};

// The gradient of the weights from the gradient of dst: dweights[k][c] = sum over n of ddst[n][k] * src[n][c].
// If the epilogue is bias, also the gradient of the bias: dbias[k] = sum over n of ddst[n][k].
// Tensors: src [N][C], ddst [N][K]; dweights [K][C] and dbias [K], overwritten.
struct FcWeightUpdateOp : FcPass<ConvWeightUpdateOp> {
  static constexpr bool sum_over_images = true;
};

}  // namespace brickwork
