// libxsmm_dnn_convolution of LIBXSMM 1.17, forward.
#include "baselines/conv_baselines.hpp"
#ifdef BRICKWORK_HAS_LIBXSMM
#include "baselines/libxsmm/libxsmm_dnn_conv_layer.hpp"

namespace brickwork {
namespace {

class PreparedLibxsmmDnnConv final : public libxsmm::PreparedConv {
 public:
  PreparedLibxsmmDnnConv(const ConvProblem& p, const PlainTensors& in, int threads)
      : PreparedConv(p, in, libxsmm::describe_conv(p, threads), LIBXSMM_DNN_COMPUTE_KIND_FWD, p.N % threads != 0) {
    bind_src(LIBXSMM_DNN_REGULAR_INPUT);
    bind_weights(LIBXSMM_DNN_REGULAR_FILTER);
    bind_dst(LIBXSMM_DNN_REGULAR_OUTPUT);
    // If it drops the stride of the input, the library needs N*C*P*Q elements of scratch, but asks for N*C*(H/2)*(W/2),
    // which is fewer for an odd H or W.
    layer_.bind_scratch(static_cast<std::size_t>(p.N * p.C * p.P() * p.Q()));
  }

  void pack() override {
    tensors_.src.pack(in_.at<float>("src"));
    tensors_.weights.pack(in_.at<float>("weights"));
  }
  void unpack(PlainTensors& out) override { tensors_.dst.unpack(out.at<float>("dst")); }
};

std::optional<std::string> unsupported_forward(const ConvProblem& p, int threads) {
  const std::int64_t longest_batch =
      libxsmm::is_1x1(p) ? p.C / libxsmm::feature_block(p.C) : (p.Q() <= 7 ? 2 : 1) * p.R * p.S;
  if (const auto why = libxsmm::unsupported_conv(p, longest_batch)) return why;
  return libxsmm::wrong_loops(p, threads);
}

}  // namespace

Contender<ConvForwardOp> libxsmm_dnn_conv() {
  return {.name = "libxsmm-dnn",
          .library = {"LIBXSMM", LIBXSMM_CONFIG_VERSION},
          .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = unsupported_forward(p, r.threads)) return Result<PreparedPtr>::unsupported(*why);
            return {std::make_unique<PreparedLibxsmmDnnConv>(p, in, r.threads)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvForwardOp> brickwork::libxsmm_dnn_conv() {
  return absent_library<ConvForwardOp>("libxsmm-dnn", "LIBXSMM");
}

#endif
