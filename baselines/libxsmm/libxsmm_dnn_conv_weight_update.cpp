// libxsmm_dnn_convolution of LIBXSMM 1.17, weight update. It has four kinds of loops, some of which are wrong for
// problems that nobody had tried. Such problems are refused here, with the reason.
#include "baselines/conv_baselines.hpp"
#ifdef BRICKWORK_HAS_LIBXSMM
#include <algorithm>
#include <limits>

#include "baselines/libxsmm/libxsmm_dnn_conv_layer.hpp"

namespace brickwork {
namespace {

class PreparedLibxsmmDnnUpdate final : public libxsmm::PreparedConv {
 public:
  PreparedLibxsmmDnnUpdate(const ConvProblem& p, const PlainTensors& in, int threads)
      : PreparedConv(p, in, libxsmm::describe_conv(p, threads), LIBXSMM_DNN_COMPUTE_KIND_UPD, false) {
    bind_src(LIBXSMM_DNN_REGULAR_INPUT);
    bind_weights(LIBXSMM_DNN_GRADIENT_FILTER);
    bind_dst(LIBXSMM_DNN_GRADIENT_OUTPUT);
    layer_.bind_scratch();
  }

  void pack() override {
    tensors_.src.pack(in_.at<float>("src"));
    tensors_.dst.pack(in_.at<float>("ddst"));
  }
  void unpack(PlainTensors& out) override { tensors_.weights.unpack(out.at<float>("dweights")); }
};

// Whether each thread has some of the filter's blocks and all images, as for small outputs.
bool has_linear_tasks(const ConvProblem& p) {
  return p.P() <= 10 && p.Q() <= 10 && !(p.stride_h == 2 && p.stride_w == 2 && p.K == 512);
}

// Whether the library leaves out products with the padding of a 3x3 filter.
bool leaves_out_rim(const ConvProblem& p, int threads) {
  return has_linear_tasks(p) && p.P() <= 7 && p.R == 3 && p.S == 3 && p.pad_h == 1 && p.pad_w == 1 && p.N == threads;
}

// The most rows that one batch-reduce call reduces: those of one image, or of a thread's share of the images.
std::int64_t longest_update_batch(const ConvProblem& p, int threads) {
  if (p.N != threads) return p.P();
  if (leaves_out_rim(p, threads)) return p.N * p.P();
  std::int64_t groups = p.Q() <= 14 ? 9 : threads;
  while (threads % groups != 0) --groups;
  return std::max(p.P(), threads / groups * std::min<std::int64_t>(p.P(), 28));
}

std::optional<std::string> unsupported_update(const ConvProblem& p, int threads) {
  if (const auto why = libxsmm::unsupported_conv(p, longest_update_batch(p, threads))) return why;
  // Each thread or image has its own copy of the weights.
  const double copies = static_cast<double>(std::max<std::int64_t>(p.N, threads));
  if (copies * static_cast<double>(p.K * p.C * p.R * p.S) > std::numeric_limits<int>::max()) {
    return "LIBXSMM 1.17 makes copies of the weights and counts their elements only up to 2^31";
  }
  if (p.stride_h != p.stride_w) {
    return "LIBXSMM 1.17's weight update swaps stride_h and stride_w: they must be the same";
  }
  if (leaves_out_rim(p, threads) && (p.stride_h > 1 || p.P() == 1 || p.Q() == 1)) {
    return "LIBXSMM 1.17's weight update leaves out the padding of a 3x3 filter as if the stride were 1 and the "
           "output were more than one pixel high and wide";
  }
  if (p.Q() == 56 && p.R == 1 && (p.P() % 2 != 0 || p.stride_h > 1 || p.S > 1)) {
    return "LIBXSMM 1.17's weight update takes output rows of 56 pixels by twos: with a filter of one row, their "
           "number must be even, the filter 1x1 and the stride 1";
  }
  if (p.P() <= 7 && libxsmm::is_1x1(p) && p.stride_h > 1 && p.K >= 2048 &&
      (p.Q() > 10 || (p.H + 2 * p.pad_h) % p.stride_h != 0 || (p.W + 2 * p.pad_w) % p.stride_w != 0)) {
    return "LIBXSMM 1.17's weight update drops the stride of small images: the padded image must be a multiple of the "
           "stride, and the output at most 10 pixels wide";
  }
  return std::nullopt;
}

}  // namespace

Contender<ConvWeightUpdateOp> libxsmm_dnn_conv_weight_update() {
  return {.name = "libxsmm-dnn",
          .library = {"LIBXSMM", LIBXSMM_CONFIG_VERSION},
          .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = unsupported_update(p, r.threads)) return Result<PreparedPtr>::unsupported(*why);
            return {std::make_unique<PreparedLibxsmmDnnUpdate>(p, in, r.threads)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvWeightUpdateOp> brickwork::libxsmm_dnn_conv_weight_update() {
  return absent_library<ConvWeightUpdateOp>("libxsmm-dnn", "LIBXSMM");
}

#endif
