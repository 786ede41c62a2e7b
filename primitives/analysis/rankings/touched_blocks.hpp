// What calls of a nest touch, in blocks that a simulation of caches can follow.
//
// A tensor is cut along each index into as many values as one call touches, so that most calls touch one block of a
// tensor. The windows of neighbouring calls overlap. There the first index that is a sum of axes, such as the rows
// p * stride + r of a convolution, is cut into single values; other sums of axes are cut into as many values as their
// largest axis has in a call, and a call touches the parts of several blocks.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "primitives/analysis/scheduled_nest.hpp"

namespace brickwork {

class TouchedBlocks {
 public:
  explicit TouchedBlocks(const ScheduledNest&);

  struct Use {
    std::uint64_t block;         // different for all blocks of all tensors
    std::int64_t bytes;          // of the block
    std::int64_t touched_bytes;  // by the call
  };

  // What the call with these iterations of each loop touches, in the order of the declaration. `changed` has a bit for
  // each loop whose iterations differ from those of the call before. The result is valid until the next call.
  std::span<const Use> of_call(std::span<const LoopRange> at, std::uint32_t changed);

 private:
  struct Piece {
    std::uint64_t chunk;
    std::int64_t values, touched;  // in the chunk, and by the call
  };
  struct Index {
    std::vector<TouchedIndex::Term> terms;  // without axes of a single point
    std::int64_t least = 0, most = 0;       // the values that exist, from 0 at the first point of all axes
    std::int64_t chunk = 1;                 // values
    std::uint64_t chunks = 1;
    std::int64_t points = 1;      // values of a chunk that calls touch: fewer than all between strides
    std::uint32_t loops = 0;      // that the value depends on, as bits
    std::vector<Piece> pieces{};  // of the current call
  };
  struct Tensor {
    std::vector<Index> index;
    std::uint64_t first_block = 0;
    bool at_last = false;
    std::int64_t bytes = 4;  // of an element
  };

  Index cut(const TouchedIndex&, const ScheduledNest&, bool& has_rows) const;
  void find_pieces(Index&, std::span<const LoopRange> at) const;
  void add_blocks(const Tensor&, std::size_t index, std::uint64_t block, std::int64_t bytes, std::int64_t touched);

  std::vector<Axis> axes_;
  std::vector<std::int64_t> reductions_end_;  // of each loop; 0 for those that are no reductions
  std::vector<Tensor> tensors_;
  std::vector<Use> uses_;
};

}  // namespace brickwork
