#ifdef BRICKWORK_HAS_LIBXSMM
#include "baselines/libxsmm/libxsmm_dnn_layer.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <stdexcept>

namespace brickwork::libxsmm {
namespace {

void check(libxsmm_dnn_err_t status, const char* call) {
  if (status != LIBXSMM_DNN_SUCCESS) {
    throw std::runtime_error(fmt::format("{} of LIBXSMM failed: {}", call, libxsmm_dnn_get_error(status)));
  }
}

}  // namespace

template <class Kind>
Layer<Kind>::Layer(const typename Kind::Description& description, libxsmm_dnn_compute_kind pass)
    : pass_(pass), threads_(description.threads) {
  libxsmm_dnn_err_t status = LIBXSMM_DNN_SUCCESS;
  layer_.reset(Kind::create(description, &status));
  check(status, "the layer");
}

template <class Kind>
void Layer<Kind>::bind(libxsmm_dnn_tensor_type type, const void* data, const std::vector<std::int64_t>& dims) {
  libxsmm_dnn_err_t status = LIBXSMM_DNN_SUCCESS;
  const std::unique_ptr<libxsmm_dnn_tensor_datalayout, decltype(&libxsmm_dnn_destroy_tensor_datalayout)> layout(
      Kind::layout(layer_.get(), type, &status), &libxsmm_dnn_destroy_tensor_datalayout);
  check(status, "the layout of a tensor");
  if (!std::equal(dims.begin(), dims.end(), layout->dim_size, layout->dim_size + layout->num_dims)) {
    throw std::runtime_error("LIBXSMM chose another blocking than this baseline packs");
  }
  tensors_.emplace_back(libxsmm_dnn_link_tensor(layout.get(), data, &status));
  check(status, "the link to a tensor");
  check(Kind::bind(layer_.get(), tensors_.back().get(), type), "the binding of a tensor");
}

template <class Kind>
void Layer<Kind>::bind_state(float* state) {
  if constexpr (requires { Kind::bind_state; }) {
    check(Kind::bind_state(layer_.get(), pass_, state), "the binding of the state");
  }
}

template <class Kind>
void Layer<Kind>::bind_scratch(std::size_t at_least) {
  libxsmm_dnn_err_t status = LIBXSMM_DNN_SUCCESS;
  const std::size_t bytes = Kind::scratch_size(layer_.get(), pass_, &status);
  check(status, "the size of the scratch");
  scratch_ = AlignedBuffer<float>(std::max(bytes / sizeof(float) + 1, at_least));
  check(Kind::bind_scratch(layer_.get(), pass_, scratch_.data()), "the binding of the scratch");
}

template <class Kind>
void Layer<Kind>::run() {
  libxsmm_dnn_err_t status = LIBXSMM_DNN_SUCCESS;
#pragma omp parallel num_threads(threads_) reduction(max : status)
  status = Kind::execute(layer_.get(), pass_, 0, omp_get_thread_num());
  check(status, "the execution");
}

template class Layer<ConvLayer>;
template class Layer<FcLayer>;
template class Layer<RnnLayer>;

}  // namespace brickwork::libxsmm
#endif
