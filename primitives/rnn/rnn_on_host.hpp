// Recurrent layers on the host's threads, around a backend of the brick.
#pragma once
#include "rnn/rnn_place.hpp"

namespace brickwork {

class RnnOnHost final : public RnnPlace {
 public:
  RnnOnHost(Backend backend, Isa isa, const SimdTuning& tuning) : backend_(backend), isa_(isa), tuning_(tuning) {}

  Result<std::shared_ptr<const RnnForwardPass>> forward(const RnnForwardGeometry&) const override;
  Result<std::shared_ptr<const RnnBackwardPass>> backward(const RnnBackwardGeometry&) const override;
  bool apart() const override { return false; }
  std::int64_t rows_of_x() const override;
  RnnBackwardSizes backward_sizes(const RnnForwardGeometry&) const override;
  std::int64_t workers(std::int64_t tasks) const override;
  std::unique_ptr<MemoryElsewhere> memory(std::size_t) const override { return nullptr; }

 private:
  Backend backend_;
  Isa isa_;
  SimdTuning tuning_;
};

}  // namespace brickwork
