// What the three passes of LIBXSMM 1.17's own convolution share: the paper authors' primitive, a layer with its
// tensors.
#pragma once
#include <libxsmm.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aligned_buffer.hpp"
#include "conv_problem.hpp"

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

// The library's loops on tensors that we own. Throws std::runtime_error where a call of the library fails.
class ConvLayer {
 public:
  ConvLayer(const libxsmm_dnn_conv_desc&, libxsmm_dnn_compute_kind pass);

  // dims: what we packed, fastest first; it must be what the library expects.
  void bind(libxsmm_dnn_tensor_type, float* data, std::initializer_list<std::int64_t> dims);
  // As much as the library asks for; at least so many elements, where it counts too few.
  void bind_scratch(std::size_t at_least = 0);
  void run();

 private:
  struct FreeLayer {
    void operator()(libxsmm_dnn_layer* layer) const { libxsmm_dnn_destroy_conv_layer(layer); }
  };
  struct FreeTensor {
    void operator()(libxsmm_dnn_tensor* tensor) const { libxsmm_dnn_destroy_tensor(tensor); }
  };

  libxsmm_dnn_compute_kind pass_;
  int threads_;
  AlignedBuffer<float> scratch_;
  std::unique_ptr<libxsmm_dnn_layer, FreeLayer> layer_;
  std::vector<std::unique_ptr<libxsmm_dnn_tensor, FreeTensor>> tensors_;
};

}  // namespace brickwork::libxsmm
