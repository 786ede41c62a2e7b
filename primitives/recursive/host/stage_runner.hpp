// A thread's part of the stages of a program: its operands, brick calls and tapes, with its own scratch.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/bricks/tile_brick.hpp"
#include "primitives/nest/loop_nest.hpp"
#include "primitives/recursive/host/tape_rows.hpp"
#include "primitives/recursive/recursive_arrays.hpp"
#include "primitives/recursive/recursive_geometry.hpp"
#include "primitives/recursive/structures/linearizer.hpp"

namespace brickwork {

constexpr std::int64_t kFewRows = 6;  // up to which a brick reads B only once

// The kernels of the three kinds of calls (program.hpp).
struct RecursiveBricks {
  BrgemmKernelPtr few;  // for products with weights of at most kFewRows rows; or null
  BrgemmKernelPtr weights, matrix, last_matrix, matrix_transposed;  // last: of the last block of features
};

// The packed weights of each call of each stage: [block][term][member][kb][bk].
using PackedStages = std::vector<std::vector<AlignedBuffer<float>>>;
PackedStages pack_weights(const Stages&, const RecursiveGeometry&, const std::vector<const float*>& weights);

struct BoundCall {
  CallKind kind;
  Over over;
  bool matrix;
  std::int64_t members = 0;                         // of the batch
  const float* weights = nullptr;                   // of block 0
  std::vector<std::uint64_t> offsets_a, offsets_b;  // bytes
  float *a = nullptr, *sum = nullptr;
  BoundRef factor;
};

struct BoundOperand {
  std::vector<BoundInstruction> tape;
};

struct BoundStage {
  std::vector<BoundOperand> operands;
  std::vector<BoundCall> calls;
  std::vector<BoundInstruction> tape;
  std::int64_t rows_of_node = 1, rows_of_edge = 1;  // H if the stage has matrices
};

// Memory of one thread for the largest of some stages.
struct StageScratch {
  StageScratch() = default;
  StageScratch(const std::vector<const Stages*>&, const RecursiveGeometry&);

  std::int64_t temporary_size = 0;
  AlignedBuffer<float> operands, sums, temporaries, zeros;
};

// What binds a reference to memory.
struct BindingOf {
  const RecursiveGeometry& g;
  RecursiveArrays& arrays;
  const RecursiveTensors& tensors;
  const Levels& levels;
  const std::vector<std::int32_t>& parents_number;  // [edge]
  StageScratch& scratch;
};

std::vector<BoundStage> bind_stages(const Stages&, const PackedStages&, const BindingOf&);

// Runs a stage for the nodes of `nodes`, which are in `level`, and the blocks of features in `blocks`.
void run_stage(const BoundStage&, const RecursiveGeometry&, const RecursiveBricks&, const Levels&, const Level& level,
               LoopRange nodes, LoopRange blocks);

}  // namespace brickwork
