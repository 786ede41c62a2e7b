// libxsmm_dnn_convolution of LIBXSMM 1.17, backward by data. Its fast loops are those of the forward pass with C and K
// exchanged. They cover 1x1 filters without padding, and filters of stride 1 with an output as large as the input. For
// all other problems the library has loops with a small GEMM for each row and tap.
#include "baselines/conv_baselines.hpp"
#ifdef BRICKWORK_HAS_LIBXSMM
#include "baselines/libxsmm/libxsmm_dnn_conv_layer.hpp"

namespace brickwork {
namespace {

bool keeps_size(const ConvProblem& p) {
  return p.stride_h == 1 && p.stride_w == 1 && 2 * p.pad_h == p.R - 1 && 2 * p.pad_w == p.S - 1;
}

// Whether the library takes its fast loops. With a filter larger than 1x1 it takes them if ddst has a rim, so we give
// ddst a rim only where these loops are right. They are wrong for filters of one row (R == 1): with 28 columns they
// write beyond their rows.
bool takes_fast_loops(const ConvProblem& p, int threads) {
  if (p.N % threads != 0) return false;
  return libxsmm::is_1x1(p) ? p.pad_h == 0 && p.pad_w == 0 : p.R > 1 && keeps_size(p);
}

libxsmm_dnn_conv_desc describe_backward_data(const ConvProblem& p, int threads) {
  libxsmm_dnn_conv_desc d = libxsmm::describe_conv(p, threads);
  if (takes_fast_loops(p, threads)) {
    d.pad_h_out = static_cast<int>(p.pad_h);
    d.pad_w_out = static_cast<int>(p.pad_w);
  }
  // pack() transposes the weights, just as other contenders' pack() brings them into their best layout.
  d.options = LIBXSMM_DNN_CONV_OPTION_BWD_NO_FILTER_TRANSPOSE_OVERWRITE;
  return d;
}

class PreparedLibxsmmDnnBackwardData final : public libxsmm::PreparedConv {
 public:
  PreparedLibxsmmDnnBackwardData(const ConvProblem& p, const PlainTensors& in, int threads)
      : PreparedConv(p, in, describe_backward_data(p, threads), LIBXSMM_DNN_COMPUTE_KIND_BWD,
                     !takes_fast_loops(p, threads)) {
    libxsmm::BlockedWeights& w = tensors_.weights;
    bind_src(LIBXSMM_DNN_GRADIENT_INPUT);
    layer_.bind(LIBXSMM_DNN_REGULAR_FILTER_TRANS, w.data.data(), {w.bc, w.bk, w.S, w.R, w.Kb, w.Cb});
    bind_weights(LIBXSMM_DNN_REGULAR_FILTER);  // required, but not read
    bind_dst(LIBXSMM_DNN_GRADIENT_OUTPUT);
    layer_.bind_scratch();
  }

  void pack() override {
    tensors_.dst.pack(in_.at<float>("ddst"));
    tensors_.weights.pack_transposed(in_.at<float>("weights"));
  }
  void unpack(PlainTensors& out) override { tensors_.src.unpack(out.at<float>("dsrc")); }
};

std::optional<std::string> unsupported_backward_data(const ConvProblem& p, int threads) {
  std::int64_t longest_batch = 1;
  if (takes_fast_loops(p, threads)) {
    longest_batch = libxsmm::is_1x1(p) ? p.K / libxsmm::feature_block(p.K) : (p.Q() <= 7 ? 2 : 1) * p.R * p.S;
  }
  if (const auto why = libxsmm::unsupported_conv(p, longest_batch)) return why;
  return libxsmm::wrong_loops(p, threads);
}

}  // namespace

Contender<ConvBackwardDataOp> libxsmm_dnn_conv_backward_data() {
  return {.name = "libxsmm-dnn",
          .library = {"LIBXSMM", LIBXSMM_CONFIG_VERSION},
          .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = unsupported_backward_data(p, r.threads)) {
              return Result<PreparedPtr>::unsupported(*why);
            }
            return {std::make_unique<PreparedLibxsmmDnnBackwardData>(p, in, r.threads)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvBackwardDataOp> brickwork::libxsmm_dnn_conv_backward_data() {
  return absent_library<ConvBackwardDataOp>("libxsmm-dnn", "LIBXSMM");
}

#endif
