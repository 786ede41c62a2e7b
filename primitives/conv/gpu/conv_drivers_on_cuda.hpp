// Drivers of convolution's three passes on a GPU: each has a blocking, and its offset lists in device memory. All
// pointers are to device memory; work goes into the setting's stream. T and TC: see conv_on_cuda.hpp.
#pragma once
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/gpu/cuda/cuda_memory.hpp"
#include "primitives/conv/backward/conv_backward_blocking.hpp"
#include "primitives/conv/forward/conv_forward_blocking.hpp"
#include "primitives/conv/gpu/conv_on_cuda.hpp"
#include "primitives/conv/update/conv_update_blocking.hpp"

namespace brickwork {

// The offset lists of a blocking, in device memory.
class ConvListsOnCuda {
 public:
  template <class Blocking>
  explicit ConvListsOnCuda(const Blocking& blocking) : a_(blocking.a_offsets()), b_(blocking.b_offsets()) {}

  // The pass with the lists of the device.
  template <class Pass>
  Pass named_in(Pass pass) const {
    pass.data.a_offsets = a_.data(), pass.data.b_offsets = b_.data();
    return pass;
  }

 private:
  CudaMemory<std::uint64_t> a_, b_;
};

template <class T, class TC = T>
class ConvForwardOnCuda {
 public:
  // Throws std::runtime_error if the device has too little memory, as the constructors below do.
  explicit ConvForwardOnCuda(ConvForwardBlocking blocking) : blocking_(std::move(blocking)), lists_(blocking_) {}

  const ConvForwardBlocking& blocking() const { return blocking_; }

  void run(const T* src, const T* weights, const float* bias, const TC* residual, TC* dst,
           const CudaSetting& setting) const {
    conv_on_cuda(lists_.named_in(blocking_.pass(blocking_.data(src, weights, bias, residual, dst))), setting);
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
      auto pass = lists_[i].named_in(blocking_.pass(i, ddst, weights, residual, at, dsrc));
      pass.without_taps = without_taps_.data();
      conv_on_cuda(ConvBackwardOnGpuPass<T, TC>{pass}, setting);
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
  // Throws std::invalid_argument, too, if the plan gathers src, which only hosts can.
  explicit ConvUpdateOnCuda(ConvUpdateBlocking blocking)
      : blocking_(std::move(blocking)),
        lists_(blocking_),
        copies_(others(blocking_.dweights_layout().size())),
        bias_copies_(others(blocking_.dbias_size())) {
    if (blocking_.plan().gathers)
      throw std::invalid_argument("a GPU's plan needs src=cached, as only hosts can gather src");
  }

  const ConvUpdateBlocking& blocking() const { return blocking_; }

  // Must not run in two streams at once, as the private copies are members.
  void run(const T* src, const T* ddst, TC* dweights, TC* dbias, Gradients gradients,
           const CudaSetting& setting) const {
    const T* const ones = nullptr;  // SumsOfColumns does not read them
    const auto data = blocking_.data(src, ddst, dweights, copies_.data(), dbias, bias_copies_.data(), gradients, ones);
    conv_on_cuda(lists_.named_in(blocking_.pass(data)), setting);
  }

 private:
  std::size_t others(std::int64_t size) const {
    return static_cast<std::size_t>((blocking_.nest().copies() - 1) * size);
  }

  ConvUpdateBlocking blocking_;
  ConvListsOnCuda lists_;
  CudaMemory<TC> copies_, bias_copies_;
};

}  // namespace brickwork
