#ifdef BRICKWORK_HAS_LIBXSMM
#include "baselines/libxsmm/libxsmm_dnn_conv_layer.hpp"

#include <fmt/format.h>

#include <limits>

#include "kernels/cpu/libxsmm/libxsmm_target.hpp"

namespace brickwork::libxsmm {
std::int64_t feature_block(std::int64_t features) {
  const std::int64_t most = libxsmm_get_target_archid() >= LIBXSMM_X86_AVX512_CORE ? 64 : 32;
  if (features < most) return features;
  std::int64_t block = most;
  while (features % block != 0) block /= 2;
  return block;
}

std::optional<std::string> unsupported_conv(const ConvProblem& p, std::int64_t longest_batch) {
  if (const auto why = unsupported_target()) return why;
  if (p.epilogue.any()) return "LIBXSMM 1.17 fuses nothing into its convolution: the epilogue must be none";
  for (const std::int64_t size : {p.N, p.C, p.K, p.H, p.W, p.R, p.S, p.stride_h, p.stride_w, p.pad_h, p.pad_w}) {
    if (size > std::numeric_limits<int>::max()) return "LIBXSMM 1.17 takes sizes below 2^31 only";
  }
  if (longest_batch > kPointerArrayLength) {
    return fmt::format("LIBXSMM 1.17 holds {} pointers per call, but this problem may need {}", kPointerArrayLength,
                       longest_batch);
  }
  return std::nullopt;
}

std::optional<std::string> wrong_loops(const ConvProblem& p, int threads) {
  if (p.R == 3 && p.S == 3 && p.stride_h == 1 && p.stride_w == 1 && p.pad_h == 1 && p.pad_w == 1 && p.H == 1 &&
      p.W == 1) {
    return "LIBXSMM 1.17 crashes on a padded 3x3 convolution of a single pixel: it skips the rim with a GEMM of 0 "
           "columns";
  }
  if (is_1x1(p) && p.stride_h == 1 && p.stride_w == 1 && p.Q() == 56 && p.P() > 1 && p.P() <= 14 &&
      p.N % threads == 0) {
    return "LIBXSMM 1.17 halves output rows of 56 pixels, and takes up to 14 output rows at once: doing both, "
           "it computes only the first half of the output";
  }
  return std::nullopt;
}

libxsmm_dnn_conv_desc describe_conv(const ConvProblem& p, int threads) {
  libxsmm_dnn_conv_desc d{};
  d.N = static_cast<int>(p.N);
  d.C = static_cast<int>(p.C);
  d.K = static_cast<int>(p.K);
  d.H = static_cast<int>(p.H);
  d.W = static_cast<int>(p.W);
  d.R = static_cast<int>(p.R);
  d.S = static_cast<int>(p.S);
  d.u = static_cast<int>(p.stride_h);
  d.v = static_cast<int>(p.stride_w);
  d.pad_h = d.pad_h_in = static_cast<int>(p.pad_h);
  d.pad_w = d.pad_w_in = static_cast<int>(p.pad_w);
  d.threads = threads;
  d.datatype_in = d.datatype_out = LIBXSMM_DNN_DATATYPE_F32;
  d.buffer_format = d.filter_format = LIBXSMM_DNN_TENSOR_FORMAT_LIBXSMM;
  d.algo = LIBXSMM_DNN_CONV_ALGO_DIRECT;
  d.options = LIBXSMM_DNN_CONV_OPTION_OVERWRITE;
  d.fuse_ops = LIBXSMM_DNN_CONV_FUSE_NONE;
  return d;
}

PreparedConv::PreparedConv(const ConvProblem& p, const PlainTensors& in, const libxsmm_dnn_conv_desc& description,
                           libxsmm_dnn_compute_kind pass, bool fallback)
    : PreparedLayer(in, description, pass),
      tensors_(p, feature_block(p.C), feature_block(p.K), description.threads,
               {description.pad_h_out, description.pad_w_out}),
      fallback_(fallback) {}

void PreparedConv::bind_src(libxsmm_dnn_tensor_type type) {
  BlockedImages& src = tensors_.src;
  layer_.bind(type, src.data.data(), {src.block, src.stored_w(), src.stored_h(), src.blocks, src.N});
}

void PreparedConv::bind_weights(libxsmm_dnn_tensor_type type) {
  BlockedWeights& w = tensors_.weights;
  layer_.bind(type, w.data.data(), {w.bk, w.bc, w.S, w.R, w.Cb, w.Kb});
}

void PreparedConv::bind_dst(libxsmm_dnn_tensor_type type) {
  BlockedImages& dst = tensors_.dst;
  layer_.bind(type, dst.data.data(), {dst.block, dst.stored_w(), dst.stored_h(), dst.blocks, dst.N});
}

}  // namespace brickwork::libxsmm
#endif
