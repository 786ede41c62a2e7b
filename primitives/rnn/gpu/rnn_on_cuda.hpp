// Recurrent layers on a GPU: the bodies of rnn_forward_body.hpp and rnn_backward_body.hpp with the portable bricks or
// with the brick of multiply-adds.
//
// A chunk of steps has one launch for its product with x. Each step then has a launch for its product and one for the
// cell; a GRU has two of each. Work goes into the setting's stream and is not waited for: call cuda_finish() before
// fetching.
#pragma once
#include "primitives/bricks/cuda_setting.hpp"
#include "primitives/rnn/rnn_target.hpp"

namespace brickwork {

class RnnOnCuda final : public RnnTarget {
 public:
  RnnOnCuda(const CudaSetting& setting, std::int64_t multiprocessors)
      : setting_(setting), multiprocessors_(multiprocessors) {}

  // Refused if the setting uses tensor cores or warpgroups.
  Result<RnnPasses> passes(const RnnForwardGeometry&, const RnnBackwardGeometry*) const override;
  RnnSizes sizes(std::int64_t N, std::int64_t bn, std::int64_t K) const override;
  // Throws OutOfCudaMemory.
  std::unique_ptr<DeviceMemory> memory(std::size_t bytes) const override;

 private:
  CudaSetting setting_;
  std::int64_t multiprocessors_;
};

}  // namespace brickwork
