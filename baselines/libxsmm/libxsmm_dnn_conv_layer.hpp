// What the three passes of LIBXSMM 1.17's own convolution share.
#pragma once
#include <optional>
#include <string>

#include "baselines/libxsmm/libxsmm_dnn_layer.hpp"
#include "baselines/tensors/blocked_conv_tensors.hpp"
#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork::libxsmm {

constexpr std::int64_t kPointerArrayLength = 1024;  // of A_ptrs and B_ptrs in the library, which it does not check

// The block that the library gives a feature dimension: all of it where it is small, else its largest power of two
// that divides it.
std::int64_t feature_block(std::int64_t features);

inline bool is_1x1(const ConvProblem& p) { return p.R == 1 && p.S == 1; }

// Why a pass cannot be of which one call reduces up to so many blocks, or nothing.
std::optional<std::string> unsupported_conv(const ConvProblem&, std::int64_t longest_batch);

// Why the loops that forward and backward by data have in common are wrong or crash, or nothing.
std::optional<std::string> wrong_loops(const ConvProblem&, int threads);

// In the library's fast mode: its padding is stored.
libxsmm_dnn_conv_desc describe_conv(const ConvProblem&, int threads);

class PreparedConv : public PreparedLayer<ConvLayer> {
 public:
  // A rim of zeros lies around dst where the description has one.
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
