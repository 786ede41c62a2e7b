#include "brgemm_in_parts.hpp"

#include <array>

#include "equal_spans.hpp"

namespace brickwork {
namespace {

class BrgemmInParts final : public BrgemmKernel {
 public:
  // [0]: the first part; [1]: one as long; [2]: a shorter one.
  using Bricks = std::array<BrgemmKernelPtr, 3>;

  BrgemmInParts(const BrgemmShape& shape, const EqualSpans& parts, Bricks bricks)
      : BrgemmKernel(shape), parts_(parts), bricks_(std::move(bricks)) {}

  std::string_view isa() const override { return bricks_[0]->isa(); }

 private:
  void run(const BrgemmCall& call) const override {
    const BrgemmShape& s = shape();
    BrgemmCall of_part = call;
    of_part.zeros = false;
    if (call.batch.size == 0) {
      of_part.batch = Batch::strided(nullptr, nullptr, 0, 0, 0);
      (*bricks_[0])(of_part);
    }
    for (std::int64_t member = 0; member < call.batch.size; ++member) {
      for (int i = 0; i < parts_.pieces; ++i) {
        const Span part = parts_[i];
        const bool first = member == 0 && i == 0, last = member == call.batch.size - 1 && i == parts_.pieces - 1;
        of_part.batch = Batch::strided(call.batch.a<float>(member) + part.begin * s.step_of_a(),
                                       call.batch.b<float>(member) + part.begin * s.ldb, 1, 0, 0);
        of_part.epilogue = last ? call.epilogue : TileEpilogue{};
        (*bricks_[first ? 0 : part.size == parts_[0].size ? 1 : 2])(of_part);
        of_part.read_next = nullptr;
        of_part.read_next_bytes = 0;
      }
    }
  }

  EqualSpans parts_;
  Bricks bricks_;
};

}  // namespace

Result<BrgemmKernelPtr> make_brgemm_in_parts(const BrgemmShape& shape, int steps,
                                             const std::function<Result<BrgemmKernelPtr>(const BrgemmShape&)>& make) {
  const EqualSpans parts(shape.k, steps);
  BrgemmInParts::Bricks bricks;
  for (std::size_t i = 0; i < bricks.size(); ++i) {
    BrgemmShape part = shape;
    part.k = i < 2 ? parts[0].size : parts.size;
    part.beta = i == 0 ? shape.beta : 1;
    part.batch_kind = BatchKind::strides;
    part.stride_a = part.stride_b = 0;
    part.zero_tiles = {};
    auto brick = make(part);
    if (!brick) return brick;
    bricks[i] = *std::move(brick);
  }
  return BrgemmKernelPtr(std::make_shared<BrgemmInParts>(shape, parts, std::move(bricks)));
}

}  // namespace brickwork
