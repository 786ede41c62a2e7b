#include "brgemm_in_parts.hpp"

#include <algorithm>
#include <array>

#include "equal_spans.hpp"

namespace brickwork {
namespace {

class BrgemmInParts final : public BrgemmKernel {
 public:
  // [0]: the first part; [1]: one as long; [2]: a shorter one.
  using Bricks = std::array<BrgemmKernelPtr, 3>;

  // A part is of at most so many members, or one of the pieces of a single one.
  BrgemmInParts(const BrgemmShape& shape, int members, const EqualSpans& pieces, Bricks bricks)
      : BrgemmKernel(shape), members_(members), pieces_(pieces), bricks_(std::move(bricks)) {}

  std::string_view isa() const override { return bricks_[0]->isa(); }

 private:
  void run(const BrgemmCall& call) const override {
    const EqualSpans groups(static_cast<int>(call.batch.size), members_);
    const int parts = std::max(1, groups.pieces * pieces_.pieces);  // a batch of none, too, leaves beta * C
    for (int i = 0; i < parts; ++i) {
      const Span group = groups[i / pieces_.pieces], piece = pieces_[i % pieces_.pieces];
      BrgemmCall part = call;
      part.batch = part_of(call.batch, group, piece);
      part.read_next = call.read_next.share(i, parts);
      if (i < parts - 1) part.epilogue = {};
      (*bricks_[i == 0 ? 0 : piece.size == pieces_[0].size ? 1 : 2])(part);
    }
  }

  Batch part_of(const Batch& batch, Span group, Span piece) const {
    if (pieces_.pieces == 1) return batch.part(group.begin, group.size);
    if (batch.size == 0) return {};
    return Batch::strided(batch.a<float>(group.begin) + piece.begin * shape().step_of_a(),
                          batch.b<float>(group.begin) + piece.begin * shape().ldb, 1, 0, 0);
  }

  int members_;
  EqualSpans pieces_;
  Bricks bricks_;
};

}  // namespace

Result<BrgemmKernelPtr> make_brgemm_in_parts(const BrgemmShape& shape, int steps,
                                             const std::function<Result<BrgemmKernelPtr>(const BrgemmShape&)>& make) {
  const EqualSpans pieces(shape.k, steps);
  BrgemmInParts::Bricks bricks;
  BrgemmShape made;
  for (std::size_t i = 0; i < bricks.size(); ++i) {
    BrgemmShape part = shape;
    part.k = i < 2 ? pieces[0].size : pieces.size;
    part.beta = i == 0 ? shape.beta : 1;
    if (pieces.pieces > 1) {
      part.batch_kind = BatchKind::strides;
      part.stride_a = part.stride_b = 0;
    }
    if (part == made) {
      bricks[i] = bricks[i - 1];
      continue;
    }
    auto brick = make(part);
    if (!brick) return brick;
    bricks[i] = *std::move(brick);
    made = part;
  }
  return BrgemmKernelPtr(
      std::make_shared<BrgemmInParts>(shape, std::max(1, steps / shape.k), pieces, std::move(bricks)));
}

}  // namespace brickwork
