#include "kernels/testing/mma_on_host.hpp"

#include "kernels/gpu/mma/mma_tiles.hpp"
#include "kernels/testing/member_copies.hpp"

namespace brickwork {
namespace {

template <class T, bool a_transposed>
using SmallMmaTile = MmaTile<T, 32, 32, 32, 2, 1, 3, a_transposed>;

template <bool a_transposed>
using SmallWgmmaTile = WgmmaTile<64, 64, 64, 4, 1, a_transposed>;

template <class Tile>
class MmaOnHost final : public BrgemmKernel {
 public:
  MmaOnHost(const BrgemmShape& shape, Copies copies) : BrgemmKernel(shape), copies_(copies) {}
  std::string_view isa() const override { return "mma.sync, host"; }

 private:
  void run(const BrgemmCall& host) const override {
    HostWarps block(Tile::kThreads, Tile::kScratch, copies_);
    if constexpr (sizeof(typename Tile::Element) == sizeof(float)) {
      brgemm_by_block<Tile, float>(block, shape(), host);
    } else {
      const MemberCopies<typename Tile::Element> members(shape(), rows_of(host), host.batch);
      const auto of_a = members.list_a(), of_b = members.list_b();
      BrgemmCall call = host;
      call.batch = members.batch(members.a.data(), members.b.data(), of_a.data(), of_b.data());
      brgemm_by_block<Tile, float>(block, shape(), call);
    }
  }

  Copies copies_;
};

template <class T, bool a_transposed>
BrgemmKernelPtr made(const BrgemmShape& shape, MmaBlock block, Copies copies) {
  switch (block) {
    case MmaBlock::small:
      return std::make_shared<MmaOnHost<SmallMmaTile<T, a_transposed>>>(shape, copies);
    case MmaBlock::narrow:
      return std::make_shared<MmaOnHost<NarrowMmaTile<T, a_transposed>>>(shape, copies);
    case MmaBlock::wide:
      return std::make_shared<MmaOnHost<WideMmaTile<T, a_transposed>>>(shape, copies);
    default:
      break;
  }
  if constexpr (sizeof(T) == 2) {
    if (block == MmaBlock::small_wgmma) return std::make_shared<MmaOnHost<SmallWgmmaTile<a_transposed>>>(shape, copies);
    if (block == MmaBlock::narrow_wgmma) {
      return std::make_shared<MmaOnHost<NarrowWgmmaTile<a_transposed>>>(shape, copies);
    }
    return std::make_shared<MmaOnHost<WideWgmmaTile<a_transposed>>>(shape, copies);
  } else {
    if (block == MmaBlock::low_fma) return std::make_shared<MmaOnHost<LowFmaTile<a_transposed>>>(shape, copies);
    return std::make_shared<MmaOnHost<WideFmaTile<a_transposed>>>(shape, copies);
  }
}

}  // namespace

BrgemmKernelPtr mma_on_host(const BrgemmShape& shape, DType ab, MmaBlock block, Copies copies) {
  const auto of = [&](auto element) {
    using T = decltype(element);
    return shape.a_transposed ? made<T, true>(shape, block, copies) : made<T, false>(shape, block, copies);
  };
  return ab == DType::bf16 ? of(bf16()) : of(float());
}

}  // namespace brickwork
