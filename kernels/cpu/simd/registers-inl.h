// What keeps a register tile in registers, for one instruction set (Highway's foreach_target).
#if defined(BRICKWORK_REGISTERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRICKWORK_REGISTERS_INL_H_
#undef BRICKWORK_REGISTERS_INL_H_
#else
#define BRICKWORK_REGISTERS_INL_H_
#endif

#include "hwy/highway.h"

// Every loop over a tile's registers is unrolled whole, or the sums would live in memory.
#undef BRICKWORK_UNROLL
#define BRICKWORK_UNROLL _Pragma("GCC unroll 32")

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {

// Makes a value one that GCC knows nothing about, so that it cannot be computed elsewhere. Without it GCC hoists one
// pointer per row of A out of the k loop, 28 of them into 16 registers.
template <class T>
HWY_INLINE void Keep(T& value) {
  asm("" : "+r"(value));
}

// GCC folds what is loaded into the FMAs as their memory operand and so loads it for each of them again: 3 x 64 tiles
// then stand at 0.73 of peak instead of 0.98.
template <class V>
HWY_INLINE V KeptInRegister(V v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128  // whose vectors are arrays in memory
  auto raw = v.raw;
  asm volatile("" : "+v"(raw));
  return V{raw};
#else
  return v;
#endif
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
