// Where recurrent layers run and keep their tensors: on the host (rnn_on_host.hpp) or on a device (rnn_on_cuda.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/base/result.hpp"
#include "primitives/rnn/rnn_geometry.hpp"

namespace brickwork {

// The passes of one direction of one layer, made for its geometries. Their tensors lie where the target computes.
struct RnnPasses {
  std::string isa;
  std::function<void(const RnnForwardData&)> forward;
  std::function<void(const RnnBackwardData&)> backward_data, gradient_of_x, weight_update;
};

// Memory of a device; zeros at first.
class RnnDeviceMemory {
 public:
  virtual ~RnnDeviceMemory() = default;
  virtual void* data() = 0;
  virtual void copy_from(const void* host) = 0;
  virtual void copy_to(void* host) const = 0;
};

class RnnTarget {
 public:
  virtual ~RnnTarget() = default;
  // How to cut the work for N sequences, in blocks of bn forward, and K features.
  virtual RnnSizes sizes(std::int64_t N, std::int64_t bn, std::int64_t K) const = 0;
  // If the backward geometry is null, there are no backward passes. Refused if there is no brick for a shape.
  virtual Result<RnnPasses> passes(const RnnForwardGeometry&, const RnnBackwardGeometry*) const = 0;
  virtual std::unique_ptr<RnnDeviceMemory> memory(std::size_t bytes) const = 0;  // null: use the host's memory
};

// An array where a target computes, zeros at first. A device's array gets a host copy when the host first asks for it.
template <class T>
class TargetArray {
 public:
  TargetArray() = default;
  TargetArray(std::int64_t size, const RnnTarget& target) : size_(static_cast<std::size_t>(size)) {
    if (size > 0) elsewhere_ = target.memory(size_ * sizeof(T));
    if (!elsewhere_) host_ = AlignedBuffer<T>(size_);
  }

  std::size_t size() const { return size_; }
  // Null if it is empty.
  T* data() const {
    if (size_ == 0) return nullptr;
    return elsewhere_ ? static_cast<T*>(elsewhere_->data()) : host_.data();
  }

  // host(): write there, then send(). fetched(): read the target's values.
  T* host() {
    on_host();
    return host_.data();
  }
  void send() {
    if (elsewhere_) elsewhere_->copy_from(host());
  }
  const T* fetched() const {
    on_host();
    if (elsewhere_) elsewhere_->copy_to(host_.data());
    return host_.data();
  }

 private:
  void on_host() const {
    if (host_.size() < size_) host_ = AlignedBuffer<T>(size_);
  }

  std::size_t size_ = 0;
  std::unique_ptr<RnnDeviceMemory> elsewhere_;
  mutable AlignedBuffer<T> host_;
};

}  // namespace brickwork
