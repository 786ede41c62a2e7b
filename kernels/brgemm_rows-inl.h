// Where the simd brick's tiles find their rows of A and B, for one instruction set (Highway's foreach_target).
#if defined(BRICKWORK_BRGEMM_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRICKWORK_BRGEMM_ROWS_INL_H_
#undef BRICKWORK_BRGEMM_ROWS_INL_H_
#else
#define BRICKWORK_BRGEMM_ROWS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {

// AVX-512 and NEON have 32 vector registers, AVX2 has 16.
constexpr int kRegisters = HWY_TARGET == HWY_AVX2 ? 16 : 32;

// Makes a value one that GCC knows nothing about, so that it cannot be computed elsewhere. Without it GCC hoists one
// pointer per row of A out of the k loop, 28 of them into 16 registers: tall tiles then read their addresses from the
// stack and stand at 0.75 of peak instead of 0.93.
template <class T>
HWY_INLINE void Keep(T& value) {
  asm("" : "+r"(value));
}

// Where a tile's rows of A lie, transposed or not. A load adds base + 1, 2, 4 or 8 times a register by itself: with
// these few, eight rows share a base. A pointer moved from row to row instead, an instruction for every broadcast, left
// narrow tiles at 0.85 of peak on Emerald Rapids.
struct RowsOfA {
  const char* base;
  std::int64_t ld, ld3, ld5, ld7;  // from row to row, in bytes
  std::int64_t step;               // from one step over k to the next

  static constexpr int kSharing = 8;
  RowsOfA(const float* a, std::int64_t row_of_a, std::int64_t step_of_a)
      : base(reinterpret_cast<const char*>(a)),
        ld(row_of_a * static_cast<std::int64_t>(sizeof(float))),
        ld3(3 * ld),
        ld5(5 * ld),
        ld7(7 * ld),
        step(step_of_a * static_cast<std::int64_t>(sizeof(float))) {}

  // All that a step reads becomes unknown, or GCC would prepare a register for each multiple of ld.
  HWY_INLINE void Forget() {
    Keep(base);
    Keep(ld);
    Keep(ld3);
    Keep(ld5);
    Keep(ld7);
  }
  HWY_INLINE const char* First(int at_step) const {
    const char* first = base + at_step * step;
    Keep(first);
    return first;
  }
  HWY_INLINE const float* At(const char* first, int r) const {
    const std::int64_t offset = r == 7 ? ld7 : r == 5 ? ld5 : r == 3 || r == 6 ? ld3 * (r / 3) : ld * r;
    return reinterpret_cast<const float*>(first + offset);
  }
  HWY_INLINE void Advance(int steps) { base += steps * step; }
};

// Where the rows of B lie. Likewise, kAtOnce steps share a base.
struct RowsOfB {
  const char* base;
  std::int64_t ld, ld3;  // bytes

  static constexpr int kAtOnce = 4;
  RowsOfB(const float* b, std::int64_t ldb)
      : base(reinterpret_cast<const char*>(b)), ld(ldb * static_cast<std::int64_t>(sizeof(float))), ld3(3 * ld) {}

  HWY_INLINE void Forget() {
    Keep(base);
    Keep(ld);
    Keep(ld3);
  }
  HWY_INLINE const float* At(int k) const { return reinterpret_cast<const float*>(base + (k == 3 ? ld3 : ld * k)); }
};

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
