// The C API of brickwork.h for C++: handles that destroy themselves, and exceptions instead of statuses. Sizes, layouts
// and the meaning of each function are in brickwork.h. Needs C++17 and nothing but that header.
#ifndef BRICKWORK_HPP
#define BRICKWORK_HPP
#include <brickwork/brickwork.h>

#include <cstdint>
#include <stdexcept>
#include <utility>

namespace brickwork::api {

// Thrown where a function of brickwork.h fails: what() is its sentence, status() its status.
class Error : public std::runtime_error {
 public:
  explicit Error(brickwork_status status) : std::runtime_error(brickwork_last_error()), status_(status) {}
  brickwork_status status() const { return status_; }

 private:
  brickwork_status status_;
};

inline void check(brickwork_status status) {
  if (status != BRICKWORK_OK) throw Error(status);
}

// A handle with one owner. It can be moved and not copied.
template <class Handle, brickwork_status (*destroy)(Handle)>
class Owner {
 public:
  template <class Sizes>
  Owner(brickwork_status (*create)(const Sizes*, Handle*), const Sizes& sizes) {
    check(create(&sizes, &handle_));
  }
  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owner() {
    if (handle_) destroy(handle_);
  }
  Handle get() const { return handle_; }  // for the functions of brickwork.h

 private:
  Handle handle_ = nullptr;
};

class Brgemm : public Owner<brickwork_brgemm, brickwork_brgemm_destroy> {
 public:
  explicit Brgemm(const brickwork_brgemm_shape& shape) : Owner(brickwork_brgemm_create, shape) {}
  void run(const float* a, const float* b, std::int64_t batch, const float* bias, float* c) const {
    check(brickwork_brgemm_run(get(), a, b, batch, bias, c));
  }
  void run(const float* const* a, const float* const* b, std::int64_t batch, const float* bias, float* c) const {
    check(brickwork_brgemm_run_pointers(get(), a, b, batch, bias, c));
  }
};

// A convolution or a fully connected layer, by the kind of sizes.
class Layer : public Owner<brickwork_layer, brickwork_layer_destroy> {
 public:
  explicit Layer(const brickwork_conv_sizes& sizes) : Owner(brickwork_conv_create, sizes) {}
  explicit Layer(const brickwork_linear_sizes& sizes) : Owner(brickwork_linear_create, sizes) {}

  void set_weights(const float* weights, const float* bias = nullptr) {
    check(brickwork_layer_set_weights(get(), weights, bias));
  }
  void forward(const float* src, float* dst) const { check(brickwork_layer_forward(get(), src, dst)); }
  void backward_data(const float* ddst, float* dsrc) const { check(brickwork_layer_backward_data(get(), ddst, dsrc)); }
  void backward_weights(const float* src, const float* ddst, float* dweights, float* dbias = nullptr) const {
    check(brickwork_layer_backward_weights(get(), src, ddst, dweights, dbias));
  }

  std::int64_t packed_size(brickwork_tensor tensor) const {
    std::int64_t floats = 0;
    check(brickwork_layer_packed_size(get(), tensor, &floats));
    return floats;
  }
  void pack(brickwork_tensor tensor, brickwork_layout from, const float* plain, float* packed) const {
    check(brickwork_layer_pack(get(), tensor, from, plain, packed));
  }
  void unpack(brickwork_tensor tensor, brickwork_layout to, const float* packed, float* plain) const {
    check(brickwork_layer_unpack(get(), tensor, to, packed, plain));
  }
};

class Lstm : public Owner<brickwork_lstm, brickwork_lstm_destroy> {
 public:
  explicit Lstm(const brickwork_lstm_sizes& sizes) : Owner(brickwork_lstm_create, sizes) {}
  void set_weights(std::int64_t layer, const float* input, const float* state, const float* bias) {
    check(brickwork_lstm_set_weights(get(), layer, input, state, bias));
  }
  void forward(const float* x, const float* h0, const float* c0, float* y, float* hT, float* cT) {
    check(brickwork_lstm_forward(get(), x, h0, c0, y, hT, cT));
  }
  void backward(const float* dy, const float* dhT, const float* dcT, float* dx, float* dh0, float* dc0) {
    check(brickwork_lstm_backward(get(), dy, dhT, dcT, dx, dh0, dc0));
  }
  void weight_gradients(std::int64_t layer, float* input, float* state, float* bias) const {
    check(brickwork_lstm_weight_gradients(get(), layer, input, state, bias));
  }
};

}  // namespace brickwork::api
#endif
