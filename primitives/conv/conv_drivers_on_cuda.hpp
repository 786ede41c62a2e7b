// Drivers of convolution's three passes on a GPU: a blocking with its lists on the device. All pointers are to the
// device's memory; work goes into the setting's stream. T and TC: see conv_on_cuda.hpp.
#pragma once
#include <utility>
#include <vector>

#include "conv/conv_backward_blocking.hpp"
#include "conv/conv_forward_blocking.hpp"
#include "conv/conv_on_cuda.hpp"
#include "conv/conv_update_blocking.hpp"
#include "cuda_memory.hpp"

namespace brickwork {

// The offset lists of a blocking.
class ConvListsOnCuda {
 public:
  explicit ConvListsOnCuda(const ConvForwardBlocking& blocking)
      : src_(blocking.src_offsets()), weights_(blocking.weights_offsets()) {}

  template <class T, class TC>
  ConvForwardData<T, TC> named_in(ConvForwardData<T, TC> data) const {
    data.src_offsets = src_.data(), data.weights_offsets = weights_.data();
    return data;
  }

 private:
  CudaMemory<std::uint64_t> src_, weights_;
};

template <class T, class TC = T>
class ConvForwardOnCuda {
 public:
  // Throws std::runtime_error where the device's memory does not suffice; so do the others.
  explicit ConvForwardOnCuda(ConvForwardBlocking blocking) : blocking_(std::move(blocking)), lists_(blocking_) {}

  const ConvForwardBlocking& blocking() const { return blocking_; }

  void run(const T* src, const T* weights, const float* bias, const TC* residual, TC* dst,
           const CudaSetting& setting) const {
    conv_forward_on_cuda({blocking_.nest(), blocking_.brick_shape(0)}, blocking_.geometry(),
                         lists_.named_in(blocking_.data(src, weights, bias, residual, dst)), setting);
  }

 private:
  ConvForwardBlocking blocking_;
  ConvListsOnCuda lists_;
};

template <class T, class TC = T>
class ConvBackwardOnCuda {
 public:
  explicit ConvBackwardOnCuda(ConvBackwardBlocking blocking)
      : blocking_(std::move(blocking)), without_taps_(blocking_.without_taps()) {
    for (const auto& phase : blocking_.phases()) lists_.emplace_back(phase.conv);
  }

  const ConvBackwardBlocking& blocking() const { return blocking_; }

  void run(const T* ddst, const T* weights, const TC* residual, const TC* at, TC* dsrc,
           const CudaSetting& setting) const {
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      const ConvBackwardBlocking::Phase& phase = blocking_.phases()[i];
      const auto data = phase.conv.data(ddst, weights + phase.first_weight, nullptr, residual, dsrc, at);
      conv_backward_on_cuda({phase.conv.nest(), phase.conv.brick_shape(0)}, phase.conv.geometry(),
                            lists_[i].named_in(data), without_taps_.data(),
                            i == 0 ? static_cast<int>(without_taps_.size()) : 0, setting);
    }
  }

 private:
  ConvBackwardBlocking blocking_;
  CudaMemory<PixelsWithoutTaps> without_taps_;
  std::vector<ConvListsOnCuda> lists_;
};

template <class T, class TC = float>
class ConvUpdateOnCuda {
 public:
  explicit ConvUpdateOnCuda(ConvUpdateBlocking blocking)
      : blocking_(std::move(blocking)),
        src_offsets_(blocking_.src_offsets()),
        ddst_offsets_(blocking_.ddst_offsets()),
        copies_(others(blocking_.dweights_layout().size())),
        bias_copies_(others(blocking_.dbias_size())) {}

  const ConvUpdateBlocking& blocking() const { return blocking_; }

  // Not into two streams at once: the private copies are this object's.
  void run(const T* src, const T* ddst, TC* dweights, TC* dbias, Gradients gradients,
           const CudaSetting& setting) const {
    const PrivateCopies<TC> copies{dweights, copies_.data(), blocking_.dweights_layout().size()};
    const PrivateCopies<TC> bias_copies{blocking_.with_bias() ? dbias : nullptr, bias_copies_.data(),
                                        blocking_.dbias_size()};
    const T* const ones = nullptr;  // SumsOfColumns does not read them
    auto data = blocking_.data(src, ddst, copies, bias_copies, gradients, ones);
    data.src_offsets = src_offsets_.data(), data.ddst_offsets = ddst_offsets_.data();
    conv_update_on_cuda({blocking_.nest(), blocking_.brick_shape(0)}, blocking_.bias_brick_shape(0),
                        blocking_.geometry(), data, setting);
  }

 private:
  std::size_t others(std::int64_t size) const {
    return static_cast<std::size_t>((blocking_.nest().copies() - 1) * size);
  }

  ConvUpdateBlocking blocking_;
  CudaMemory<std::uint64_t> src_offsets_, ddst_offsets_;
  CudaMemory<TC> copies_, bias_copies_;
};

}  // namespace brickwork
