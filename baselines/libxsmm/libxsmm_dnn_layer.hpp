// The paper authors' own layers in LIBXSMM 1.17: binding of tensors and scratch, and their loops.
#pragma once
#include <libxsmm.h>

#include <memory>
#include <string>
#include <vector>

#include "baselines/contender/contender.hpp"
#include "kernels/base/aligned_buffer.hpp"

namespace brickwork::libxsmm {

// A kind of layer. The library has the same functions for each kind, under different names.
struct ConvLayer {
  using Handle = libxsmm_dnn_layer;
  using Description = libxsmm_dnn_conv_desc;
  static constexpr auto create = libxsmm_dnn_create_conv_layer;
  static constexpr auto destroy = libxsmm_dnn_destroy_conv_layer;
  static constexpr auto layout = libxsmm_dnn_create_tensor_datalayout;
  static constexpr auto bind = libxsmm_dnn_bind_tensor;
  static constexpr auto execute = libxsmm_dnn_execute_st;
  static std::size_t scratch_size(const Handle* layer, libxsmm_dnn_compute_kind pass, libxsmm_dnn_err_t* status) {
    return libxsmm_dnn_get_scratch_size(layer, pass, status);
  }
  static libxsmm_dnn_err_t bind_scratch(Handle* layer, libxsmm_dnn_compute_kind pass, const void* scratch) {
    return libxsmm_dnn_bind_scratch(layer, pass, scratch);
  }
};

struct FcLayer {
  using Handle = libxsmm_dnn_fullyconnected;
  using Description = libxsmm_dnn_fullyconnected_desc;
  static constexpr auto create = libxsmm_dnn_create_fullyconnected;
  static constexpr auto destroy = libxsmm_dnn_destroy_fullyconnected;
  static constexpr auto layout = libxsmm_dnn_fullyconnected_create_tensor_datalayout;
  static constexpr auto bind = libxsmm_dnn_fullyconnected_bind_tensor;
  static constexpr auto execute = libxsmm_dnn_fullyconnected_execute_st;
  static std::size_t scratch_size(const Handle* layer, libxsmm_dnn_compute_kind, libxsmm_dnn_err_t* status) {
    return libxsmm_dnn_fullyconnected_get_scratch_size(layer, status);
  }
  static libxsmm_dnn_err_t bind_scratch(Handle* layer, libxsmm_dnn_compute_kind, const void* scratch) {
    return libxsmm_dnn_fullyconnected_bind_scratch(layer, scratch);
  }
};

struct RnnLayer {
  using Handle = libxsmm_dnn_rnncell;
  using Description = libxsmm_dnn_rnncell_desc;
  static constexpr auto create = libxsmm_dnn_create_rnncell;
  static constexpr auto destroy = libxsmm_dnn_destroy_rnncell;
  static constexpr auto layout = libxsmm_dnn_rnncell_create_tensor_datalayout;
  static constexpr auto bind = libxsmm_dnn_rnncell_bind_tensor;
  static constexpr auto bind_state = libxsmm_dnn_rnncell_bind_internalstate;
  static constexpr auto execute = libxsmm_dnn_rnncell_execute_st;
  static constexpr auto scratch_size = libxsmm_dnn_rnncell_get_scratch_size;
  static constexpr auto bind_scratch = libxsmm_dnn_rnncell_bind_scratch;
};

// The library's loops on tensors that we own. Throws std::runtime_error if a call of the library fails or warns. The
// library warns if it replaces the block sizes that we gave.
template <class Kind>
class Layer {
 public:
  Layer(const typename Kind::Description&, libxsmm_dnn_compute_kind pass);

  // dims: the sizes of what we packed, fastest first; they must be what the library expects.
  void bind(libxsmm_dnn_tensor_type, const void* data, const std::vector<std::int64_t>& dims);
  // Only for kinds that keep a state between passes. `state` has at least as many elements as the largest tensor.
  void bind_state(float* state);
  // Allocates as much as the library asks for, but at least `at_least` elements, for cases in which it asks for too
  // few.
  void bind_scratch(std::size_t at_least = 0);
  void run();

 private:
  struct FreeLayer {
    void operator()(typename Kind::Handle* layer) const { Kind::destroy(layer); }
  };
  struct FreeTensor {
    void operator()(libxsmm_dnn_tensor* tensor) const { libxsmm_dnn_destroy_tensor(tensor); }
  };

  libxsmm_dnn_compute_kind pass_;
  int threads_;
  AlignedBuffer<float> scratch_;
  std::unique_ptr<typename Kind::Handle, FreeLayer> layer_;
  std::vector<std::unique_ptr<libxsmm_dnn_tensor, FreeTensor>> tensors_;
};

// A pass of a layer as a contender; derived classes add the tensors.
template <class Kind>
class PreparedLayer : public Prepared {
 public:
  PreparedLayer(const PlainTensors& in, const typename Kind::Description& description, libxsmm_dnn_compute_kind pass)
      : in_(in), layer_(description, pass) {}

  void run() final { layer_.run(); }
  std::string isa() const final { return libxsmm_get_target_arch(); }

 protected:
  const PlainTensors& in_;
  Layer<Kind> layer_;
};

}  // namespace brickwork::libxsmm
