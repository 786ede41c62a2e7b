// Memory of the device. Includes no CUDA header.
#pragma once
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace brickwork {

// The device has too little memory left; what() states the sizes.
class OutOfCudaMemory : public std::runtime_error {
  using runtime_error::runtime_error;
};

// Sizes are in bytes. Copies are complete on return. On failure all but release() throw std::runtime_error with CUDA's
// message.
namespace cuda_memory {

void* allocate(std::size_t bytes);  // throws OutOfCudaMemory
void release(void*) noexcept;
void copy_there(void* device, const void* host, std::size_t bytes);
void copy_back(void* host, const void* device, std::size_t bytes);
void fill(void* device, unsigned char byte, std::size_t bytes);

}  // namespace cuda_memory

// `size` elements on the device; a null pointer if there are none.
template <class T>
class CudaMemory {
 public:
  explicit CudaMemory(std::size_t size) : size_(size) {
    if (size > 0) data_ = static_cast<T*>(cuda_memory::allocate(bytes()));
  }
  explicit CudaMemory(std::span<const T> host) : CudaMemory(host.size()) { copy_from(host.data()); }
  explicit CudaMemory(const std::vector<T>& host) : CudaMemory(std::span<const T>(host)) {}
  CudaMemory(CudaMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  CudaMemory& operator=(CudaMemory&&) = delete;
  ~CudaMemory() { cuda_memory::release(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  void copy_from(const T* host) {
    if (size_ > 0) cuda_memory::copy_there(data_, host, bytes());
  }
  void copy_to(T* host) const {
    if (size_ > 0) cuda_memory::copy_back(host, data_, bytes());
  }
  void fill_with_nan() {  // for any floating-point type
    if (size_ > 0) cuda_memory::fill(data_, 0xff, bytes());
  }
  void fill_with_zeros() {
    if (size_ > 0) cuda_memory::fill(data_, 0, bytes());
  }

 private:
  std::size_t bytes() const { return size_ * sizeof(T); }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace brickwork
