// brickwork_conv_*, brickwork_linear_* and brickwork_layer_*: a fully connected layer is a convolution (fc_layers.hpp).
#include <brickwork/brickwork.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "kernels/base/aligned_buffer.hpp"
#include "library/activation.hpp"
#include "library/handles.hpp"
#include "library/runtime.hpp"
#include "library/status.hpp"
#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/forward/conv_forward.hpp"
#include "primitives/conv/update/conv_weight_update.hpp"
#include "primitives/fc/fc_layers.hpp"

namespace brickwork::library {
namespace {

AlignedBuffer<float> floats(std::int64_t size) { return AlignedBuffer<float>(static_cast<std::size_t>(size)); }

// Whether a plain layout is NHWC; the other one is NCHW.
bool is_nhwc(int layout) {
  if (layout != BRICKWORK_NCHW && layout != BRICKWORK_NHWC) {
    throw std::invalid_argument(fmt::format("layout {}: expected 0 (NCHW) or 1 (NHWC)", layout));
  }
  return layout == BRICKWORK_NHWC;
}

void pack(int from, const ActivationLayout& layout, const float* plain, float* packed) {
  is_nhwc(from) ? pack_nhwc(layout, plain, packed) : pack_nchw(layout, plain, packed);
}

void unpack(int to, const ActivationLayout& layout, const float* packed, float* plain) {
  is_nhwc(to) ? unpack_nhwc(layout, packed, plain) : unpack_nchw(layout, packed, plain);
}

// One tensor of a pass, between the caller's layout and the pass'.
class Activations {
 public:
  Activations(int callers, const ActivationLayout& packed)
      : callers_(callers), packed_(packed), buffer_(floats(callers == BRICKWORK_PACKED ? 0 : packed.size())) {}

  const ActivationLayout& layout() const { return packed_; }
  const float* read(const float* callers) {
    if (callers_ == BRICKWORK_PACKED) return callers;
    pack(callers_, packed_, callers, buffer_.data());
    return buffer_.data();
  }
  // write() of what is then finished.
  float* write(float* callers) { return callers_ == BRICKWORK_PACKED ? callers : buffer_.data(); }
  void finish(float* callers) const {
    if (callers_ != BRICKWORK_PACKED) unpack(callers_, packed_, buffer_.data(), callers);
  }

 private:
  int callers_;
  ActivationLayout packed_;
  AlignedBuffer<float> buffer_;
};

class Forward {
 public:
  Forward(const ConvProblem& p, int layout)
      : pass_(take(ConvForward::make(p, plan_conv_forward(p, machine_model()), Backend::simd, Isa::best, tuning()))),
        src_(layout, pass_.src_layout()),
        dst_(layout, pass_.dst_layout()),
        weights_(floats(pass_.weights_layout().size())),
        bias_(floats(p.epilogue.bias ? pass_.dst_layout().Cb() * pass_.dst_layout().bc : 0)) {}

  const ActivationLayout& src() const { return src_.layout(); }
  const ActivationLayout& dst() const { return dst_.layout(); }

  void set_weights(const float* weights, const float* bias) {
    pack_kcrs(pass_.weights_layout(), weights, weights_.data());
    if (bias_.size() > 0) std::copy_n(bias, dst_.layout().C, bias_.data());
  }
  void run(const float* src, float* dst) {
    pass_.run(src_.read(src), weights_.data(), bias_.data(), nullptr, dst_.write(dst));
    dst_.finish(dst);
  }

 private:
  ConvForward pass_;
  Activations src_, dst_;
  AlignedBuffer<float> weights_, bias_;
};

class BackwardData {
 public:
  BackwardData(const ConvProblem& p, int layout)
      : pass_(take(ConvBackwardData::make(p, plan_conv_backward_data(p, machine_model()), Backend::simd, Isa::best,
                                          tuning()))),
        ddst_(layout, pass_.ddst_layout()),
        dsrc_(layout, pass_.dsrc_layout()),
        weights_(floats(pass_.weights_size())) {}

  const ActivationLayout& ddst() const { return ddst_.layout(); }
  const ActivationLayout& dsrc() const { return dsrc_.layout(); }

  void set_weights(const float* weights) { pass_.pack_weights(weights, weights_.data()); }
  void run(const float* ddst, float* dsrc) {
    pass_.run(ddst_.read(ddst), weights_.data(), nullptr, nullptr, dsrc_.write(dsrc));
    dsrc_.finish(dsrc);
  }

 private:
  ConvBackwardData pass_;
  Activations ddst_, dsrc_;
  AlignedBuffer<float> weights_;
};

class BackwardWeights {
 public:
  BackwardWeights(const ConvProblem& p, int layout)
      : pass_(
            take(ConvWeightUpdate::make(p, plan_conv_update(p, machine_model()), Backend::simd, Isa::best, tuning()))),
        src_(layout, pass_.src_layout()),
        ddst_(layout, pass_.ddst_layout()),
        dweights_(floats(pass_.dweights_layout().size())),
        dbias_(floats(p.epilogue.bias ? pass_.dbias_size() : 0)) {}

  const ActivationLayout& src() const { return src_.layout(); }
  const ActivationLayout& ddst() const { return ddst_.layout(); }

  void run(const float* src, const float* ddst, float* dweights, float* dbias) {
    pass_.run(src_.read(src), ddst_.read(ddst), dweights_.data(), dbias_.data());
    unpack_kcrs(pass_.dweights_layout(), dweights_.data(), dweights);
    if (dbias_.size() > 0) std::copy_n(dbias_.data(), ddst_.layout().C, dbias);
  }

 private:
  ConvWeightUpdate pass_;
  Activations src_, ddst_;
  AlignedBuffer<float> dweights_, dbias_;
};

class Layer {
 public:
  Layer(const ConvProblem& p, bool training, int layout) : bias_(p.epilogue.bias), forward_(p, layout) {
    if (!training) return;
    ConvProblem back = p;
    back.epilogue = {};
    data_.emplace(back, layout);
    back.epilogue.bias = bias_;
    weights_.emplace(back, layout);
  }

  void set_weights(const float* weights, const float* bias) {
    require(weights, "weights");
    if (bias_) require(bias, "bias");
    const std::lock_guard lock(mutex_);
    forward_.set_weights(weights, bias);
    if (data_) data_->set_weights(weights);
    has_weights_ = true;
  }

  void forward(const float* src, float* dst) {
    require({{src, "src"}, {dst, "dst"}});
    const std::lock_guard lock(mutex_);
    require_weights();
    forward_.run(src, dst);
  }

  void backward_data(const float* ddst, float* dsrc) {
    require({{ddst, "ddst"}, {dsrc, "dsrc"}});
    const std::lock_guard lock(mutex_);
    require_training();
    require_weights();
    data_->run(ddst, dsrc);
  }

  void backward_weights(const float* src, const float* ddst, float* dweights, float* dbias) {
    require({{src, "src"}, {ddst, "ddst"}, {dweights, "dweights"}});
    if (bias_) require(dbias, "dbias");
    const std::lock_guard lock(mutex_);
    require_training();
    weights_->run(src, ddst, dweights, dbias);
  }

  const ActivationLayout& packed(int tensor) const {
    if (tensor != BRICKWORK_FORWARD_SRC && tensor != BRICKWORK_FORWARD_DST) require_training();
    switch (tensor) {
      case BRICKWORK_FORWARD_SRC:
        return forward_.src();
      case BRICKWORK_FORWARD_DST:
        return forward_.dst();
      case BRICKWORK_BACKWARD_DATA_DDST:
        return data_->ddst();
      case BRICKWORK_BACKWARD_DATA_DSRC:
        return data_->dsrc();
      case BRICKWORK_BACKWARD_WEIGHTS_SRC:
        return weights_->src();
      case BRICKWORK_BACKWARD_WEIGHTS_DDST:
        return weights_->ddst();
    }
    throw std::invalid_argument(fmt::format("there is no tensor {}: expected 0 to 5", tensor));
  }

 private:
  void require_weights() const {
    if (!has_weights_) throw std::invalid_argument("the layer has no weights yet: call brickwork_layer_set_weights()");
  }
  void require_training() const {
    if (!data_) throw std::invalid_argument("the layer has no backward passes: create it with training = 1");
  }

  bool bias_, has_weights_ = false;
  Forward forward_;
  std::optional<BackwardData> data_;
  std::optional<BackwardWeights> weights_;
  std::mutex mutex_;
};

Handles<Layer, brickwork_layer>& layers() {
  static auto& all = *new Handles<Layer, brickwork_layer>("layer");
  return all;
}

brickwork_layer create(const ConvProblem& p, bool training, int layout) {
  p.validate();
  start_kokkos();
  return layers().add(std::make_shared<Layer>(p, training, layout));
}

}  // namespace
}  // namespace brickwork::library

using namespace brickwork;
using namespace brickwork::library;

brickwork_status brickwork_conv_create(const brickwork_conv_sizes* sizes, brickwork_layer* layer) {
  return answer([&] {
    require({{sizes, "sizes"}, {layer, "layer"}});
    *layer = nullptr;
    const auto& s = *sizes;
    if (s.layout != BRICKWORK_NCHW && s.layout != BRICKWORK_NHWC && s.layout != BRICKWORK_PACKED) {
      throw std::invalid_argument(fmt::format("layout {}: expected 0 (NCHW), 1 (NHWC) or 2 (packed)", s.layout));
    }
    const ConvProblem p{.N = s.N,
                        .C = s.C,
                        .K = s.K,
                        .H = s.H,
                        .W = s.W,
                        .R = s.R,
                        .S = s.S,
                        .stride_h = s.stride_h,
                        .stride_w = s.stride_w,
                        .pad_h = s.pad_h,
                        .pad_w = s.pad_w,
                        .epilogue = {.bias = flag(s.bias, "bias"), .activation = activation_of(s.activation)}};
    *layer = create(p, flag(s.training, "training"), s.layout);
  });
}

brickwork_status brickwork_linear_create(const brickwork_linear_sizes* sizes, brickwork_layer* layer) {
  return answer([&] {
    require({{sizes, "sizes"}, {layer, "layer"}});
    *layer = nullptr;
    const auto& s = *sizes;
    if (s.layout != BRICKWORK_NHWC && s.layout != BRICKWORK_PACKED) {
      throw std::invalid_argument(fmt::format("layout {}: expected 1 (NHWC, which is [N][C]) or 2 (packed)", s.layout));
    }
    FcProblem p;
    p.N = s.N;
    p.C = s.C;
    p.K = s.K;
    p.epilogue = {.bias = flag(s.bias, "bias"), .activation = activation_of(s.activation)};
    p.validate();
    *layer = create(conv_of(p), flag(s.training, "training"), s.layout);
  });
}

brickwork_status brickwork_layer_set_weights(brickwork_layer layer, const float* weights, const float* bias) {
  return answer([&] { layers().at(layer)->set_weights(weights, bias); });
}

brickwork_status brickwork_layer_forward(brickwork_layer layer, const float* src, float* dst) {
  return answer([&] { layers().at(layer)->forward(src, dst); });
}

brickwork_status brickwork_layer_backward_data(brickwork_layer layer, const float* ddst, float* dsrc) {
  return answer([&] { layers().at(layer)->backward_data(ddst, dsrc); });
}

brickwork_status brickwork_layer_backward_weights(brickwork_layer layer, const float* src, const float* ddst,
                                                  float* dweights, float* dbias) {
  return answer([&] { layers().at(layer)->backward_weights(src, ddst, dweights, dbias); });
}

brickwork_status brickwork_layer_packed_size(brickwork_layer layer, int tensor, int64_t* floats) {
  return answer([&] {
    require(floats, "floats");
    *floats = layers().at(layer)->packed(tensor).size();
  });
}

brickwork_status brickwork_layer_pack(brickwork_layer layer, int tensor, int from, const float* plain, float* packed) {
  return answer([&] {
    const auto object = layers().at(layer);
    require({{plain, "plain"}, {packed, "packed"}});
    pack(from, object->packed(tensor), plain, packed);
  });
}

brickwork_status brickwork_layer_unpack(brickwork_layer layer, int tensor, int to, const float* packed, float* plain) {
  return answer([&] {
    const auto object = layers().at(layer);
    require({{packed, "packed"}, {plain, "plain"}});
    unpack(to, object->packed(tensor), packed, plain);
  });
}

brickwork_status brickwork_layer_destroy(brickwork_layer layer) {
  return answer([&] { layers().remove(layer); });
}
