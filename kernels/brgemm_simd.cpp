#include "brgemm_simd.hpp"

#include <fmt/format.h>

#include "brgemm_backends.hpp"

// AVX3_DL gives the same f32 code as AVX3, the SSE targets are too slow to be worth a row, and SVE vectors, whose
// length is not known to the compiler, cannot be kept in the arrays that hold a register tile.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE2_128 | HWY_SVE_256 | HWY_SVE2 | HWY_SVE)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brgemm_simd.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "brgemm_simd-inl.h"

#if HWY_ONCE
namespace brickwork {
namespace {

struct IsaEntry {
  Isa isa;
  std::int64_t target;
  std::vector<Band> (*cut)(const BrgemmShape&, std::optional<bool> shuffle);
};

// Best first.
const std::vector<IsaEntry>& CompiledIsas() {
  static const std::vector<IsaEntry> entries = {
#if HWY_TARGETS & HWY_AVX3
    {Isa::avx512, HWY_AVX3, &N_AVX3::CutIntoBands},
#endif
#if HWY_TARGETS & HWY_AVX2
    {Isa::avx2, HWY_AVX2, &N_AVX2::CutIntoBands},
#endif
#if HWY_TARGETS & HWY_NEON
    {Isa::neon, HWY_NEON, &N_NEON::CutIntoBands},
#endif
  };
  return entries;
}

std::vector<const IsaEntry*> UsableIsas() {
  std::vector<const IsaEntry*> usable;
  for (const IsaEntry& entry : CompiledIsas()) {
    if (hwy::SupportedTargets() & entry.target) usable.push_back(&entry);
  }
  return usable;
}

class SimdBrgemm final : public BrgemmKernel {
 public:
  SimdBrgemm(const BrgemmShape& shape, const IsaEntry& isa, std::optional<bool> shuffle)
      : shape_(shape), isa_(isa.isa), bands_(isa.cut(shape, shuffle)) {}

  void operator()(const float* a, const float* b, float* c, std::int64_t batch) const override {
    if (shape_.batch_kind != BatchKind::strides) return BrgemmKernel::operator()(a, b, c, batch);
    run({.size = batch,
         .base_a = address(a),
         .base_b = address(b),
         .stride_a = shape_.stride_a * kFloat,
         .stride_b = shape_.stride_b * kFloat},
        c);
  }
  void operator()(const float* a, const float* b, float* c, std::int64_t batch, const std::uint64_t* offsets_a,
                  const std::uint64_t* offsets_b) const override {
    if (shape_.batch_kind != BatchKind::offsets) return BrgemmKernel::operator()(a, b, c, batch, offsets_a, offsets_b);
    run({.size = batch, .base_a = address(a), .base_b = address(b), .offsets_a = offsets_a, .offsets_b = offsets_b}, c);
  }
  void operator()(const float* const* a, const float* const* b, float* c, std::int64_t batch) const override {
    if (shape_.batch_kind != BatchKind::pointers) return BrgemmKernel::operator()(a, b, c, batch);
    static_assert(sizeof(const float*) == sizeof(std::uint64_t));
    run({.size = batch,
         .base_a = 0,
         .base_b = 0,
         .offsets_a = reinterpret_cast<const std::uint64_t*>(a),
         .offsets_b = reinterpret_cast<const std::uint64_t*>(b)},
        c);
  }

  std::string_view isa() const override { return to_string(isa_); }

 private:
  static constexpr std::int64_t kFloat = sizeof(float);
  static std::uintptr_t address(const float* p) { return reinterpret_cast<std::uintptr_t>(p); }

  void run(const BatchCursor& batch, float* c) const {
    for (const Band& band : bands_) band.run(batch, shape_, band, c);
  }

  BrgemmShape shape_;
  Isa isa_;
  std::vector<Band> bands_;
};

}  // namespace

Result<BrgemmKernelPtr> make_simd_brgemm(const BrgemmShape& shape, Isa isa) { return make_simd_brgemm(shape, isa, {}); }

Result<BrgemmKernelPtr> make_simd_brgemm(const BrgemmShape& shape, Isa isa, std::optional<bool> shuffle) {
  const auto usable = UsableIsas();
  for (const IsaEntry* entry : usable) {
    if (isa == Isa::best || isa == entry->isa)
      return BrgemmKernelPtr(std::make_shared<SimdBrgemm>(shape, *entry, shuffle));
  }
  std::string have;
  for (const IsaEntry* entry : usable) have += fmt::format("{}{}", have.empty() ? "" : ", ", to_string(entry->isa));
  return Result<BrgemmKernelPtr>::unsupported(fmt::format("the simd backend has no {} on this machine; it has: {}",
                                                          to_string(isa), have.empty() ? "none" : have));
}

BackendInfo simd_info() {
  BackendInfo info{.backend = Backend::simd,
                   .version = fmt::format("Highway {}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH),
                   .isas = {},
                   .unavailable_reason = {}};
  for (const IsaEntry* entry : UsableIsas()) info.isas.push_back(entry->isa);
  if (info.isas.empty())
    info.unavailable_reason = "the simd backend needs AVX2, AVX-512 or NEON; this machine has none";
  return info;
}

}  // namespace brickwork
#endif  // HWY_ONCE
