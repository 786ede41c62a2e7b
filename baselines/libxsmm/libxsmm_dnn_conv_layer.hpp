// Parts that the three passes of LIBXSMM 1.17's own convolution share.
#pragma once
#include <optional>
#include <string>

#include "baselines/libxsmm/libxsmm_dnn_layer.hpp"
#include "baselines/tensors/blocked_conv_tensors.hpp"
#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork::libxsmm {

constexpr std::int64_t kPointerArrayLength = 1024;  // of A_ptrs and B_ptrs in the library, which does not check it

// The block that the library chooses for a feature dimension: all of a small one, otherwise the largest power of two up
// to 64 (32 without AVX-512) that divides it.
std::int64_t feature_block(std::int64_t features);

inline bool is_1x1(const ConvProblem& p) { return p.R == 1 && p.S == 1; }

// Why the library cannot do a pass in which one call reduces up to longest_batch blocks; nullopt if it can.
std::optional<std::string> unsupported_conv(const ConvProblem&, std::int64_t longest_batch);

// Why the loops that forward and backward by data share are wrong or crash; nullopt if they are right.
std::optional<std::string> wrong_loops(const ConvProblem&, int threads);

// Describes the convolution for the library's fast mode, in which the padding is stored.
libxsmm_dnn_conv_desc describe_conv(const ConvProblem&, int threads);

class PreparedConv : public PreparedLayer<ConvLayer> {
 public:
  // If the description has a padding of dst, a rim of zeros lies around dst.
  PreparedConv(const ConvProblem&, const PlainTensors& in, const libxsmm_dnn_conv_desc&, libxsmm_dnn_compute_kind pass,
               bool fallback);

  std::string implementation() const final { return fallback_ ? "direct, fallback loops" : "direct"; }

 protected:
  void bind_src(libxsmm_dnn_tensor_type);
  void bind_weights(libxsmm_dnn_tensor_type);
  void bind_dst(libxsmm_dnn_tensor_type);

  BlockedConvTensors tensors_;

 private:
  bool fallback_;
};

}  // namespace brickwork::libxsmm
