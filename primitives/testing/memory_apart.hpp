// Memory that the host reaches only by copies, as it reaches a device's, for tests on the host.
#pragma once
#include <cstring>

#include "primitives/tensors/target_array.hpp"

namespace brickwork {

class MemoryApart final : public DeviceMemory {
 public:
  explicit MemoryApart(std::size_t size) : bytes_(size) {}
  void* data() override { return bytes_.data(); }
  void copy_from(const void* host) override { std::memcpy(bytes_.data(), host, bytes_.size()); }
  void copy_to(void* host) const override { std::memcpy(host, bytes_.data(), bytes_.size()); }

 private:
  AlignedBuffer<unsigned char> bytes_;
};

}  // namespace brickwork
