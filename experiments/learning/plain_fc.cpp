#include "experiments/learning/plain_fc.hpp"

#include <algorithm>
#include <stdexcept>

#include "primitives/conv/conv_pack.hpp"
#include "primitives/fc/fc_layers.hpp"

namespace brickwork {
namespace {

template <class Driver>
Driver taken(Result<Driver> made) {
  if (!made) throw std::runtime_error(made.reason());
  return *std::move(made);
}

AlignedBuffer<float> floats(std::int64_t count) { return AlignedBuffer<float>(static_cast<std::size_t>(count)); }

}  // namespace

PlainFc::PlainFc(const FcProblem& fc, const NetworkBrick& brick) {
  const auto& [machine, backend, isa, tuning, of_convolutions] = brick;
  const std::int64_t bc = machine.block_of(fc.C), bk = machine.block_of(fc.K);
  ConvProblem p = conv_of(fc);
  p.epilogue = {.bias = true};
  forward_ = taken(ConvForward::make(p, plan_conv_forward(p, machine, backend, {bc, bk}), backend, isa, tuning));
  weight_update_ = taken(ConvWeightUpdate::make(p, plan_conv_update(p, machine, {bc, bk}), backend, isa, tuning));
  p.epilogue = {};
  backward_data_ =
      taken(ConvBackwardData::make(p, plan_conv_backward_data(p, machine, backend, {bk, bc}), backend, isa, tuning));

  src_ = floats(forward_->src_layout().size());
  dst_ = floats(forward_->dst_layout().size());
  weights_ = floats(forward_->weights_layout().size());
  transposed_ = floats(backward_data_->weights_size());
  bias_ = floats(weight_update_->dbias_size());
  dsrc_ = floats(backward_data_->dsrc_layout().size());
  ddst_ = floats(backward_data_->ddst_layout().size());
  dweights_ = floats(weight_update_->dweights_layout().size());
  dbias_ = floats(weight_update_->dbias_size());
}

void PlainFc::forward(const float* src, const float* weights, const float* bias, float* dst) {
  pack_nhwc(forward_->src_layout(), src, src_.data());
  pack_kcrs(forward_->weights_layout(), weights, weights_.data());
  std::copy_n(bias, forward_->dst_layout().C, bias_.data());
  forward_->run(src_.data(), weights_.data(), bias_.data(), nullptr, dst_.data());
  unpack_nhwc(forward_->dst_layout(), dst_.data(), dst);
}

void PlainFc::backward(const float* ddst, float* dsrc, float* dweights, float* dbias) {
  pack_nhwc(backward_data_->ddst_layout(), ddst, ddst_.data());
  weight_update_->run(src_.data(), ddst_.data(), dweights_.data(), dbias_.data());
  unpack_kcrs(weight_update_->dweights_layout(), dweights_.data(), dweights);
  std::copy_n(dbias_.data(), forward_->dst_layout().C, dbias);
  backward_data_->pack_weights(forward_->weights_layout(), weights_.data(), transposed_.data());
  backward_data_->run(ddst_.data(), transposed_.data(), nullptr, nullptr, dsrc_.data());
  unpack_nhwc(backward_data_->dsrc_layout(), dsrc_.data(), dsrc);
}

}  // namespace brickwork
