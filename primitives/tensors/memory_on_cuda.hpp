// Memory of a GPU for a target (target_array.hpp). Only for CUDA sources.
#pragma once
#include "kernels/gpu/cuda/cuda_memory.hpp"
#include "primitives/tensors/target_array.hpp"

namespace brickwork {

// Throws OutOfCudaMemory.
class MemoryOnCuda final : public DeviceMemory {
 public:
  explicit MemoryOnCuda(std::size_t size) : bytes_(size) { bytes_.fill_with_zeros(); }
  void* data() override { return bytes_.data(); }
  void copy_from(const void* host) override { bytes_.copy_from(static_cast<const unsigned char*>(host)); }
  void copy_to(void* host) const override { bytes_.copy_to(static_cast<unsigned char*>(host)); }

 private:
  CudaMemory<unsigned char> bytes_;
};

}  // namespace brickwork
