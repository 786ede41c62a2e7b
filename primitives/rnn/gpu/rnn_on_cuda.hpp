// Recurrent layers on a GPU: the bodies of rnn_forward_body.hpp and rnn_backward_body.hpp around the portable bricks or
// around that of multiply-adds.
//
// A step is a launch, or two of a GRU; x's share of many steps is one before them. Work goes into the setting's stream
// and is not waited for: before anything is fetched, cuda_finish() does.
#pragma once
#include "primitives/bricks/cuda_setting.hpp"
#include "primitives/rnn/rnn_target.hpp"

namespace brickwork {

class RnnOnCuda final : public RnnTarget {
 public:
  RnnOnCuda(const CudaSetting& setting, std::int64_t multiprocessors)
      : setting_(setting), multiprocessors_(multiprocessors) {}

  // Refused where the setting is of tensor cores or warpgroups.
  Result<RnnPasses> passes(const RnnForwardGeometry&, const RnnBackwardGeometry*) const override;
  RnnSizes sizes(std::int64_t N, std::int64_t bn, std::int64_t K) const override;
  // Throws OutOfCudaMemory.
  std::unique_ptr<RnnDeviceMemory> memory(std::size_t bytes) const override;

 private:
  CudaSetting setting_;
  std::int64_t multiprocessors_;
};

}  // namespace brickwork
