// Memory where a driver computes: of the host, or of a device.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"

namespace brickwork {

// Memory of a device; zeros at first.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual void* data() = 0;
  virtual void copy_from(const void* host) = 0;
  virtual void copy_to(void* host) const = 0;
};

class MemoryTarget {
 public:
  virtual ~MemoryTarget() = default;
  virtual std::unique_ptr<DeviceMemory> memory(std::size_t bytes) const = 0;  // null: use the host's memory
};

// An array where a target computes, zeros at first. A device's array gets a host copy when the host first asks for it.
template <class T>
class TargetArray {
 public:
  TargetArray() = default;
  TargetArray(std::int64_t size, const MemoryTarget& target) : size_(static_cast<std::size_t>(size)) {
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
  std::unique_ptr<DeviceMemory> elsewhere_;
  mutable AlignedBuffer<T> host_;
};

}  // namespace brickwork
