// Binds the stages of a program to memory.
#pragma once
#include <cstdint>
#include <vector>

#include "primitives/recursive/body/recursive_arrays.hpp"
#include "primitives/recursive/recursive_target.hpp"

namespace brickwork {

// Stages that run one after the other, with their packed weights.
class PackedStages {
 public:
  PackedStages(const Stages&, const RecursiveGeometry&, const RecursiveTarget&);

  // Packs the weights of each call of each stage: [block][term][member][kb][bk].
  void pack(const std::vector<const float*>& weights);

  const Stages& stages() const { return *stages_; }
  const float* weights(std::size_t stage, std::size_t call) const { return packed_.data() + first_[stage][call]; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(packed_.size() * sizeof(float)); }

 private:
  std::int64_t terms(const Call&) const;
  void pack(const Call&, const std::vector<const float*>& weights, float* to) const;

  const Stages* stages_;
  RecursiveGeometry g_;
  TargetArray<float> packed_;  // of all calls: an array for each would fill whole pages
  std::vector<std::vector<std::int64_t>> first_;
};

// The memory that each thread or team has for itself: operands, sums and temporaries.
struct ScratchLayout {
  ScratchLayout() = default;
  ScratchLayout(const std::vector<const Stages*>&, const RecursiveGeometry&);

  std::int64_t sums = 0, temporaries = 0;  // where they begin; operands begin at 0
  std::int64_t temporary_size = 0;
  std::int64_t size = 0;
};

// The minibatch's structures as lists where the program runs.
struct ListsOfLevels {
  const std::int32_t *parent, *child, *child_at, *node, *parents_number, *parents_child;
  std::int64_t nodes, edges;
};

struct BindingOf {
  const RecursiveGeometry& g;
  RecursiveArrays& arrays;
  const RecursiveTensors& tensors;
  const ListsOfLevels& lists;
  const ScratchLayout& layout;
  float* scratch;
  const float* zeros;  // a row of zeros
};

// The arrays of a BoundProgram, on the host; its steps and phases are those of StepsOfRun.
struct ProgramArrays {
  std::vector<BoundInstruction> instructions;
  std::vector<Some> operands;
  std::vector<BoundCall> calls;
  std::vector<std::uint64_t> offsets_a, offsets_b;
  std::vector<BoundStage> stages;

  void clear();
  void append(const PackedStages&, const BindingOf&);
};

}  // namespace brickwork
