// A recursive cell, level by level, by oneDNN: its children's states side by side, one matmul for all products that
// have the same operands, and loops over what is element by element.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "baselines/onednn/level_matmul.hpp"
#include "baselines/onednn/level_memory.hpp"
#include "primitives/op/plain_tensors.hpp"

namespace brickwork::onednn {

// The programs of the nodes that are leaves, and of the others.
enum Part : std::uint8_t { kLeaves, kInner };
constexpr Part kParts[] = {kLeaves, kInner};

// The cell and the levels of its forest, for the forward and the backward pass.
struct RecursiveSetting {
  RecursiveSetting(const Cell&, std::int64_t H, const Forest&, int threads, bool training);

  std::int64_t size(bool matrix) const { return matrix ? H * H : H; }
  Items items_of(const Level&) const;  // how many
  Items first_of(const Level&) const;
  Items first_of(Part part) const { return {part == kLeaves ? levels->first_leaf : 0, 0}; }
  Part part_of(const Level& level) const { return level.begin == levels->first_leaf ? kLeaves : kInner; }
  std::set<std::int64_t> rows_of(Part, const ProductGroup&) const;  // of its matmuls, one of them for each level

  const Cell& cell;
  std::int64_t H;
  int threads;
  bool training;  // keeps all values
  std::int64_t most_children;
  Linearizer linearizer;
  const Levels* levels;  // of the last run
  LevelProgram programs[2];
  std::vector<ProductGroup> outside;  // their operands are inputs
  Items largest[2], all[2];           // items of a level, and of all levels of a part
};

class RecursiveForward {
 public:
  // Runs are made for the levels of the setting's forest.
  RecursiveForward(const Context&, RecursiveSetting&, const PlainTensors& in);

  void pack();  // weights and biases
  void run(const Forest&);
  void unpack(PlainTensors& states) const;
  std::string implementation() const;

  RowsAt at(Part, const Ref&, const Level&) const;

 private:
  struct BoundElement {
    const Element* element;
    RowsAt to, a, b;
  };

  void pack(const std::vector<ProductGroup>&, std::vector<LevelMatmul>&) const;
  void run(const Level&);
  void run(const BoundElement&, const NodeAt&, std::int64_t edge) const;
  void run_at(const BoundElement&, const NodeAt&) const;

  RecursiveSetting& setting_;
  const PlainTensors& in_;
  std::vector<const float*> inputs_, biases_;
  std::vector<LevelMatmul> outside_matmuls_, matmuls_[2];
  std::vector<AlignedBuffer<float>> outside_sums_, states_;
  LevelMemory memory_[2];
  AlignedBuffer<float> zeros_;
  std::vector<BoundElement> elements_;
};

// [K][N] of a product: its weights side by side; with the biases [N].
struct PackedProduct {
  AlignedBuffer<float> weights, bias;
};
PackedProduct packed_product(const Cell&, std::int64_t H, const ProductGroup&, const PlainTensors& in);

}  // namespace brickwork::onednn
