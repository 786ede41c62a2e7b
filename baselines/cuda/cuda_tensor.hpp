// Operands and results of the GPU libraries on the device.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "baselines/contender/cuda_device.hpp"
#include "kernels/base/dtype.hpp"

namespace brickwork::cuda {

class Operand {
 public:
  virtual ~Operand() = default;
  virtual void pack(const PlainTensors&) = 0;
  virtual void unpack(PlainTensors&) = 0;
  virtual void forget() = 0;  // clears what it holds
};

// A tensor of an operation in the library's type, with channels after the rows or innermost.
class Tensor final : public Operand {
 public:
  // dims are those of the plain f32 tensor; the second one counts channels: [N][C][H][W], [K][C][R][S], [N][C]. The
  // order on the device is the same, or if channels_last [N][H][W][C], [K][R][S][C]. The type is f32 or bf16.
  Tensor(std::string name, std::vector<std::int64_t> dims, DType, bool channels_last = false);

  // Copy from and to the plain tensor of its name, on all OpenMP threads.
  void pack(const PlainTensors&) override;
  void unpack(PlainTensors&) override;
  void forget() override { device_.fill_with_nan(); }

  void* data() const { return device_.data(); }
  const std::vector<std::int64_t>& dims() const { return dims_; }
  std::vector<std::int64_t> strides() const;  // of each of dims, in elements

 private:
  std::string name_;
  std::vector<std::int64_t> dims_;
  DType dtype_;
  bool channels_last_;
  std::vector<std::byte> host_;  // the same bytes as on the device
  CudaMemory<std::byte> device_;
};

}  // namespace brickwork::cuda
