// Memory of the device.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace brickwork {

inline void require_cuda(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess) throw std::runtime_error(what + ": " + cudaGetErrorString(status));
}

// So many elements; null of none. Throws std::runtime_error that names the size where there is not so much.
template <class T>
class CudaMemory {
 public:
  CudaMemory() = default;
  explicit CudaMemory(std::size_t size) : size_(size) {
    if (size == 0) return;
    require_cuda(cudaMalloc(&data_, bytes()), "no " + std::to_string(bytes()) + " bytes of device memory");
  }
  explicit CudaMemory(std::span<const T> host) : CudaMemory(host.size()) { copy_from(host.data()); }
  explicit CudaMemory(const std::vector<T>& host) : CudaMemory(std::span<const T>(host)) {}
  CudaMemory(CudaMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  CudaMemory& operator=(CudaMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~CudaMemory() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  void copy_from(const T* host) { copy(data_, host, cudaMemcpyHostToDevice); }
  void copy_to(T* host) const { copy(host, data_, cudaMemcpyDeviceToHost); }

 private:
  std::size_t bytes() const { return size_ * sizeof(T); }
  void copy(void* to, const void* from, cudaMemcpyKind kind) const {
    if (size_ > 0) require_cuda(cudaMemcpy(to, from, bytes(), kind), "copy of " + std::to_string(bytes()) + " bytes");
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace brickwork
