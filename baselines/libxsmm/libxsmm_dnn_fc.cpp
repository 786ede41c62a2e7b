// libxsmm_dnn_fullyconnected of LIBXSMM 1.17. Backward by data transposes the weights in every run: unlike its
// convolution, the library takes no transposed ones here.
#include "baselines/fc_baselines.hpp"
#ifdef BRICKWORK_HAS_LIBXSMM
#include <algorithm>
#include <limits>
#include <optional>

#include "baselines/gemm_loops/largest_divisor.hpp"
#include "baselines/libxsmm/libxsmm_dnn_layer.hpp"
#include "kernels/cpu/libxsmm/libxsmm_target.hpp"
#include "kernels/layout/layout.hpp"

namespace brickwork {
namespace libxsmm {
namespace {

// Plain [N][F], blocked [N/bn][F/bf][bn][bf]; in our layout, images of one row of bn pixels.
class BlockedBatch {
 public:
  BlockedBatch(std::int64_t N, std::int64_t F, std::int64_t bn, std::int64_t bf, int threads)
      : layout_{.N = N / bn, .C = F, .W = bn, .bc = bf}, threads_(threads), data_(layout_.size()) {}

  void pack(const float* plain) {
#pragma omp parallel for num_threads(threads_) collapse(2)
    for (std::int64_t nb = 0; nb < layout_.N; ++nb) {
      for (std::int64_t fb = 0; fb < layout_.Cb(); ++fb) pack_nhwc_slice(layout_, nb, fb, plain, data_.data());
    }
  }
  void unpack(float* plain) const {
#pragma omp parallel for num_threads(threads_) collapse(2)
    for (std::int64_t nb = 0; nb < layout_.N; ++nb) {
      for (std::int64_t fb = 0; fb < layout_.Cb(); ++fb) unpack_nhwc_slice(layout_, nb, fb, data_.data(), plain);
    }
  }
  void bind(Layer<FcLayer>& layer, libxsmm_dnn_tensor_type type) {
    layer.bind(type, data_.data(), {layout_.bc, layout_.W, layout_.Cb(), layout_.N});
  }

 private:
  ActivationLayout layout_;
  int threads_;
  AlignedBuffer<float> data_;
};

// Plain [K][C], blocked [K/bk][C/bc][bc][bk].
class BlockedMatrix {
 public:
  BlockedMatrix(std::int64_t K, std::int64_t C, std::int64_t bk, std::int64_t bc, int threads)
      : layout_{.K = K, .C = C, .bk = bk, .bc = bc}, threads_(threads), data_(layout_.size()) {}

  void pack(const float* plain) {
#pragma omp parallel for num_threads(threads_) collapse(2)
    for (std::int64_t kb = 0; kb < layout_.Kb(); ++kb) {
      for (std::int64_t cb = 0; cb < layout_.Cb(); ++cb) pack_kcrs_block(layout_, kb, cb, plain, data_.data());
    }
  }
  void unpack(float* plain) const {
#pragma omp parallel for num_threads(threads_) collapse(2)
    for (std::int64_t kb = 0; kb < layout_.Kb(); ++kb) {
      for (std::int64_t cb = 0; cb < layout_.Cb(); ++cb) unpack_kcrs_block(layout_, kb, cb, data_.data(), plain);
    }
  }
  void bind(Layer<FcLayer>& layer, libxsmm_dnn_tensor_type type) {
    layer.bind(type, data_.data(), {layout_.bk, layout_.bc, layout_.Cb(), layout_.Kb()});
  }

 private:
  WeightLayout layout_;
  int threads_;
  AlignedBuffer<float> data_;
};

bool is_relu(const FcProblem& p) { return p.epilogue.activation == Activation::relu; }

// The caller chooses the blocks; the library's samples use 64. If a block does not divide a dimension, the library
// takes the whole dimension.
libxsmm_dnn_fullyconnected_desc describe_fc(const FcProblem& p, int threads) {
  libxsmm_dnn_fullyconnected_desc d{};
  d.N = static_cast<int>(p.N);
  d.C = static_cast<int>(p.C);
  d.K = static_cast<int>(p.K);
  d.bn = static_cast<int>(largest_divisor_up_to_64(p.N));
  d.bc = static_cast<int>(largest_divisor_up_to_64(p.C));
  d.bk = static_cast<int>(largest_divisor_up_to_64(p.K));
  d.threads = threads;
  d.datatype_in = d.datatype_out = LIBXSMM_DNN_DATATYPE_F32;
  d.buffer_format = LIBXSMM_DNN_TENSOR_FORMAT_NCPACKED;
  d.filter_format = LIBXSMM_DNN_TENSOR_FORMAT_CKPACKED;
  const int bias = p.epilogue.bias ? LIBXSMM_DNN_FULLYCONNECTED_FUSE_BIAS : 0,
            relu = is_relu(p) ? LIBXSMM_DNN_FULLYCONNECTED_FUSE_RELU : 0;
  d.fuse_ops = static_cast<libxsmm_dnn_fullyconnected_fuse_op>(bias | relu);
  return d;
}

std::optional<std::string> unsupported_fc(const FcProblem& p) {
  if (const auto why = unsupported_target()) return why;
  if (is_curve(p.epilogue.activation)) {
    return "LIBXSMM 1.17 fuses no curve except a sigmoid, which it approximates: the epilogue must be none, bias, "
           "relu or bias+relu";
  }
  if (p.epilogue.residual) return "LIBXSMM 1.17 fuses no residual into its fully connected layer";
  const std::int64_t most = std::numeric_limits<int>::max() / (64 * std::int64_t{sizeof(float)});
  if (p.N > std::numeric_limits<int>::max() || std::max(p.C, p.K) > most) {
    return "LIBXSMM 1.17 needs an N below 2^31, and up to 64 images must have below 2^31 bytes";
  }
  return std::nullopt;
}

class PreparedFc : public PreparedLayer<FcLayer> {
 public:
  PreparedFc(const FcProblem& p, const PlainTensors& in, const libxsmm_dnn_fullyconnected_desc& d,
             libxsmm_dnn_compute_kind pass)
      : PreparedLayer(in, d, pass),
        src_(p.N, p.C, d.bn, d.bc, d.threads),
        dst_(p.N, p.K, d.bn, d.bk, d.threads),
        weights_(p.K, p.C, d.bk, d.bc, d.threads) {
    layer_.bind_scratch();
  }
  std::string implementation() const override { return "blocked batch-reduce"; }

 protected:
  BlockedBatch src_, dst_;
  BlockedMatrix weights_;
};

class PreparedFcForward final : public PreparedFc {
 public:
  static constexpr auto pass = LIBXSMM_DNN_COMPUTE_KIND_FWD;
  PreparedFcForward(const FcProblem& p, const PlainTensors& in, const libxsmm_dnn_fullyconnected_desc& d)
      : PreparedFc(p, in, d, pass), bias_(p.epilogue.bias ? p.K : 0), relu_mask_(is_relu(p) ? p.N * p.K : 0) {
    src_.bind(layer_, LIBXSMM_DNN_REGULAR_INPUT);
    weights_.bind(layer_, LIBXSMM_DNN_REGULAR_FILTER);
    dst_.bind(layer_, LIBXSMM_DNN_REGULAR_OUTPUT);
    if (p.epilogue.bias) layer_.bind(LIBXSMM_DNN_REGULAR_CHANNEL_BIAS, bias_.data(), {d.bk, d.K / d.bk});
    if (is_relu(p)) layer_.bind(LIBXSMM_DNN_RELU_MASK, relu_mask_.data(), {p.N * p.K});
  }

  void pack() override {
    src_.pack(in_.at<float>("src"));
    weights_.pack(in_.at<float>("weights"));
    if (bias_.size() > 0) std::copy_n(in_.at<float>("bias"), bias_.size(), bias_.data());
  }
  void unpack(PlainTensors& out) override { dst_.unpack(out.at<float>("dst")); }

 private:
  AlignedBuffer<float> bias_;
  AlignedBuffer<unsigned char> relu_mask_;  // written with every output; the library's backward pass would read it
};

class PreparedFcBackwardData final : public PreparedFc {
 public:
  static constexpr auto pass = LIBXSMM_DNN_COMPUTE_KIND_BWD;
  PreparedFcBackwardData(const FcProblem& p, const PlainTensors& in, const libxsmm_dnn_fullyconnected_desc& d)
      : PreparedFc(p, in, d, pass) {
    src_.bind(layer_, LIBXSMM_DNN_GRADIENT_INPUT);
    weights_.bind(layer_, LIBXSMM_DNN_REGULAR_FILTER);
    dst_.bind(layer_, LIBXSMM_DNN_GRADIENT_OUTPUT);
  }

  void pack() override {
    dst_.pack(in_.at<float>("ddst"));
    weights_.pack(in_.at<float>("weights"));
  }
  void unpack(PlainTensors& out) override { src_.unpack(out.at<float>("dsrc")); }
};

class PreparedFcWeightUpdate final : public PreparedFc {
 public:
  static constexpr auto pass = LIBXSMM_DNN_COMPUTE_KIND_UPD;
  PreparedFcWeightUpdate(const FcProblem& p, const PlainTensors& in, const libxsmm_dnn_fullyconnected_desc& d)
      : PreparedFc(p, in, d, pass) {
    src_.bind(layer_, LIBXSMM_DNN_REGULAR_INPUT);
    weights_.bind(layer_, LIBXSMM_DNN_GRADIENT_FILTER);
    dst_.bind(layer_, LIBXSMM_DNN_GRADIENT_OUTPUT);
  }

  void pack() override {
    src_.pack(in_.at<float>("src"));
    dst_.pack(in_.at<float>("ddst"));
  }
  void unpack(PlainTensors& out) override { weights_.unpack(out.at<float>("dweights")); }
};

template <Operation Op, class PreparedPass>
Contender<Op> fc_contender() {
  return {.name = "libxsmm-dnn",
          .library = {"LIBXSMM", LIBXSMM_CONFIG_VERSION},
          .prepare = [](const FcProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (!std::is_same_v<Op, FcForwardOp> && p.epilogue.any()) {
              return Result<PreparedPtr>::unsupported(
                  "LIBXSMM 1.17 fuses into this pass nothing that others fuse: the epilogue must be none");
            }
            if (const auto why = unsupported_fc(p)) return Result<PreparedPtr>::unsupported(*why);
            return {std::make_unique<PreparedPass>(p, in, describe_fc(p, r.threads))};
          }};
}

}  // namespace
}  // namespace libxsmm

Contender<FcForwardOp> libxsmm_dnn_fc_forward() {
  return libxsmm::fc_contender<FcForwardOp, libxsmm::PreparedFcForward>();
}
Contender<FcBackwardDataOp> libxsmm_dnn_fc_backward_data() {
  return libxsmm::fc_contender<FcBackwardDataOp, libxsmm::PreparedFcBackwardData>();
}
Contender<FcWeightUpdateOp> libxsmm_dnn_fc_weight_update() {
  return libxsmm::fc_contender<FcWeightUpdateOp, libxsmm::PreparedFcWeightUpdate>();
}

}  // namespace brickwork

#else

namespace brickwork {
Contender<FcForwardOp> libxsmm_dnn_fc_forward() { return absent_library<FcForwardOp>("libxsmm-dnn", "LIBXSMM"); }
Contender<FcBackwardDataOp> libxsmm_dnn_fc_backward_data() {
  return absent_library<FcBackwardDataOp>("libxsmm-dnn", "LIBXSMM");
}
Contender<FcWeightUpdateOp> libxsmm_dnn_fc_weight_update() {
  return absent_library<FcWeightUpdateOp>("libxsmm-dnn", "LIBXSMM");
}
}  // namespace brickwork

#endif
