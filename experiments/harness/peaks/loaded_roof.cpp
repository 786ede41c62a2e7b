// Compiled once per instruction set by foreach_target; the run-time dispatch takes the best one.
// SVE's vectors have no size at compile time and cannot be in an array: ARM uses NEON, as the simd brick does.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "experiments/harness/peaks/loaded_roof.cpp"
#include <hwy/foreach_target.h>
// clang-format off: foreach_target must come before highway.h
#include <hwy/highway.h>

#include "experiments/harness/peaks/loaded_roof-inl.h"
// clang-format on

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kRegisters = HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3 ? 16 : 32;  // better targets have lower numbers
constexpr RegisterTile kTile = tile_of_fewest_loads(kRegisters);

struct Vectors {
  using D = hn::ScalableTag<float>;
  using V = hn::Vec<D>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

  HWY_INLINE V Load(const float* p) const { return KeptInRegister(hn::Load(D(), p)); }
  HWY_INLINE V Spread(const float* p) const { return KeptInRegister(hn::Set(D(), *p)); }
  HWY_INLINE V MultiplyAdd(V a, V b, V sum) const { return hn::MulAdd(a, b, sum); }
};

float RunTile(std::int64_t passes, const float* a, const float* b) {
  const Vectors vectors;
  Vectors::V sums[kTile.rows][kTile.vecs];
  BRICKWORK_UNROLL for (int r = 0; r < kTile.rows; ++r) {
    BRICKWORK_UNROLL for (int v = 0; v < kTile.vecs; ++v) sums[r][v] = hn::Zero(Vectors::D());
  }
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    _Pragma("GCC unroll 4") for (int k = 0; k < LoadedRoof::kDepth; ++k) {
      AddStep<kTile>(vectors, sums, a + k * kTile.rows, b + k * kTile.vecs * Vectors::kLanes);
    }
  }
  auto sum = hn::Zero(Vectors::D());
  BRICKWORK_UNROLL for (int r = 0; r < kTile.rows; ++r) {
    BRICKWORK_UNROLL for (int v = 0; v < kTile.vecs; ++v) sum = hn::Add(sum, sums[r][v]);
  }
  return hn::GetLane(hn::SumOfLanes(Vectors::D(), sum));
}

TargetsTile TileOfTarget() { return {kTile, Vectors::kLanes, hwy::TargetName(HWY_TARGET)}; }

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickwork {

HWY_EXPORT(RunTile);
HWY_EXPORT(TileOfTarget);

namespace {

#ifdef __SANITIZE_ADDRESS__
// A tenth of the passes is enough where the sanitizer checks every load and nobody reads the times.
constexpr std::int64_t kPasses = 750;
#else
// 7,500 passes x 32 steps x 12.5 cycles: about 1 ms, as long as a run of the FMA peak.
constexpr std::int64_t kPasses = 7'500;
#endif

}  // namespace

LoadedRoof::LoadedRoof(int threads) : LoadedRoof(threads, kPasses) {}

LoadedRoof::LoadedRoof(int threads, std::int64_t passes)
    : threads_(threads),
      passes_(passes),
      target_(HWY_DYNAMIC_DISPATCH(TileOfTarget)()),
      a_(static_cast<std::size_t>(kDepth * target_.tile.rows)),
      b_(static_cast<std::size_t>(kDepth * target_.tile.vecs * target_.lanes)) {
  std::ranges::fill(a_, 1.0F);
  const std::size_t columns = b_.size() / kDepth;
  for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = i / columns % 2 == 0 ? 1.0F : -1.0F;  // so that no sum grows
}

double LoadedRoof::run() const {
  double sum = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : sum)
  sum += HWY_DYNAMIC_DISPATCH(RunTile)(passes_, a_.data(), b_.data());
  return sum;
}

double LoadedRoof::flop() const {
  return 2.0 * kDepth * target_.tile.multiply_adds() * target_.lanes * threads_ * static_cast<double>(passes_);
}

}  // namespace brickwork
#endif  // HWY_ONCE
