// Recursive models on a GPU, inference: one persistent launch, in which each block keeps its features of the weights
// and all blocks meet after each phase. With a plan that does not persist, a launch for each phase.
#pragma once
#include "primitives/bricks/cuda_setting.hpp"
#include "primitives/recursive/recursive_target.hpp"

namespace brickwork {

class RecursiveOnCuda final : public RecursiveTarget {
 public:
  // Only the launcher's path has a barrier for all blocks; portable, staged and multiply_adds bricks.
  RecursiveOnCuda(const CudaSetting& setting, std::int64_t multiprocessors)
      : setting_(setting), multiprocessors_(multiprocessors) {}

  std::int64_t shares() const override { return multiprocessors_; }
  Result<RecursivePasses> passes(const RecursiveShapes&) const override;
  // Throws OutOfCudaMemory.
  std::unique_ptr<DeviceMemory> memory(std::size_t bytes) const override;

 private:
  CudaSetting setting_;
  std::int64_t multiprocessors_;
};

}  // namespace brickwork
