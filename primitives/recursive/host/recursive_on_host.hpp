// Recursive models on the host's threads, with a backend's brick.
#pragma once
#include "primitives/recursive/recursive_target.hpp"

namespace brickwork {

class RecursiveOnHost final : public RecursiveTarget {
 public:
  RecursiveOnHost(Backend backend, Isa isa, const SimdTuning& tuning) : backend_(backend), isa_(isa), tuning_(tuning) {}

  std::int64_t shares() const override;
  Result<RecursivePasses> passes(const RecursiveShapes&) const override;
  std::unique_ptr<DeviceMemory> memory(std::size_t) const override { return nullptr; }

 private:
  Backend backend_;
  Isa isa_;
  SimdTuning tuning_;
};

}  // namespace brickwork
