// Recurrent layers on the host's threads, with a backend's brick.
#pragma once
#include "primitives/rnn/rnn_target.hpp"

namespace brickwork {

class RnnOnHost final : public RnnTarget {
 public:
  RnnOnHost(Backend backend, Isa isa, const SimdTuning& tuning) : backend_(backend), isa_(isa), tuning_(tuning) {}

  Result<RnnPasses> passes(const RnnForwardGeometry&, const RnnBackwardGeometry*) const override;
  RnnSizes sizes(std::int64_t N, std::int64_t bn, std::int64_t K) const override;
  std::unique_ptr<DeviceMemory> memory(std::size_t) const override { return nullptr; }

 private:
  Backend backend_;
  Isa isa_;
  SimdTuning tuning_;
};

}  // namespace brickwork
