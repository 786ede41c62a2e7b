// A recursive cell, level by level, by oneDNN: its children's states side by side, one matmul for all products that
// have the same operands, and loops over what is element by element.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "baselines/onednn/level_matmul.hpp"
#include "baselines/onednn/level_program.hpp"
#include "kernels/base/aligned_buffer.hpp"
#include "primitives/op/plain_tensors.hpp"
#include "primitives/recursive/structures/linearizer.hpp"

namespace brickwork::onednn {

class RecursiveForward {
 public:
  // The forests of all runs are `forest`: the matmuls are made for its levels.
  RecursiveForward(const Context&, const Cell&, std::int64_t H, const Forest& forest, const PlainTensors& in,
                   int threads);

  void pack();  // weights and biases
  void run(const Forest&);
  void unpack(PlainTensors& states) const;
  std::string implementation() const;

 private:
  using Buffer = AlignedBuffer<float>;

  // The memory of a reference in a level: the item i, a node or an edge, has its row, or its matrix of H rows, at
  // number i - origin, or where the list says.
  struct Bound {
    float* base = nullptr;
    const std::int32_t* list = nullptr;
    std::int64_t item = 0, ld = 0, origin = 0;
    bool edge = false, of_thread = false;
  };
  struct BoundElement {
    const Element* element;
    Bound to, a, b;
  };
  // A program with its memory, which holds one level.
  struct Part {
    LevelProgram program;
    std::vector<LevelMatmul> matmuls;  // of its products
    std::vector<Buffer> operands, products, level;
    std::vector<std::int64_t> scratch;  // offsets in a thread's
  };
  struct Node {
    std::int64_t place, first_edge, last_edge;
    float* scratch;
  };

  std::int64_t size(bool matrix) const { return matrix ? H_ * H_ : H_; }
  std::vector<LevelMatmul> matmuls(const std::vector<ProductGroup>&, const std::set<std::int64_t>& nodes,
                                   const std::set<std::int64_t>& edges) const;
  void allocate(Part&, std::int64_t nodes, std::int64_t edges);
  void pack(const std::vector<ProductGroup>&, std::vector<LevelMatmul>&) const;
  void run_level(Part&, const Level&);
  Bound bound(const Part&, const Ref&, const Level&) const;
  void run(const std::vector<BoundElement>&, const Level&);
  void run(const std::vector<BoundElement>&, const Node&) const;
  void run(const BoundElement&, const Node&, std::int64_t edge) const;
  const float* row_of(const Bound&, const Node&, std::int64_t edge) const;

  Context context_;
  const Cell& cell_;
  std::int64_t H_;
  const PlainTensors& in_;
  std::vector<const float*> inputs_, biases_;
  int threads_;
  Linearizer linearizer_;
  const Levels* levels_ = nullptr;     // of the last run
  std::vector<ProductGroup> outside_;  // their operands are inputs
  std::vector<LevelMatmul> outside_matmuls_;
  std::vector<Buffer> outside_sums_, states_, scratch_;
  Part inner_, leaves_;
  Buffer zeros_;
  std::int64_t most_children_ = 1, scratch_size_ = 0;
  std::vector<BoundElement> elements_;
};

}  // namespace brickwork::onednn
