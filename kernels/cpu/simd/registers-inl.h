// Macros and functions that keep a register tile in registers, for one instruction set (Highway's foreach_target).
#if defined(BRICKWORK_REGISTERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRICKWORK_REGISTERS_INL_H_
#undef BRICKWORK_REGISTERS_INL_H_
#else
#define BRICKWORK_REGISTERS_INL_H_
#endif

#include "hwy/highway.h"

// Every loop over the registers of a tile is unrolled completely; otherwise the sums would lie in memory.
#undef BRICKWORK_UNROLL
#define BRICKWORK_UNROLL _Pragma("GCC unroll 32")

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {

// Hides from GCC how a value was computed, so that GCC cannot compute it elsewhere. Without it GCC hoists one pointer
// per row of A out of the loop over k: 28 pointers for 16 registers.
template <class T>
HWY_INLINE void Keep(T& value) {
  asm("" : "+r"(value));
}

// Keeps a loaded vector in a register. Otherwise GCC makes the load a memory operand of the FMAs and repeats it for
// each of them: 3 x 64 tiles then reach 0.73 of peak instead of 0.98.
template <class V>
HWY_INLINE V KeptInRegister(V v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128  // EMU128's vectors are arrays in memory
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
