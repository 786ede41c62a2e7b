// A CUDA thread block as the Block of brgemm_wgmma, for sm_90a; any other device traps.
#pragma once
#include <cstdint>

#include "kernels/gpu/cuda/cuda_warps.cuh"

namespace brickwork {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define BRICKWORK_SM90A(...) __VA_ARGS__
#else
#define BRICKWORK_SM90A(...) __trap()
#endif

struct CudaWarpOfGroup : CudaWarp {
  template <int n>
  __device__ void keep(Lanes<mma::Sums> (&sums)[n]) const {
    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < n; ++i) {
      BRICKWORK_DEVICE_UNROLL for (int r = 0; r < 4; ++r) asm volatile("" : "+f"(sums[i].mine.of[r])::"memory");
    }
  }
  __device__ void begin_products() const { BRICKWORK_SM90A(asm volatile("wgmma.fence.sync.aligned;" ::: "memory")); }

  // The columns of B are contiguous, and so are the rows of a transposed A.
  template <class Tile>
  __device__ void multiply_add(Lanes<mma::Sums> (&sums)[Tile::kN / 8], int, int a, int b) const {
    [[maybe_unused]] const std::uint64_t of_a = descriptor<typename Tile::A>(a), of_b = descriptor<typename Tile::B>(b);
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define BRICKWORK_SUM(i) \
  "+f"(sums[i].mine.of[0]), "+f"(sums[i].mine.of[1]), "+f"(sums[i].mine.of[2]), "+f"(sums[i].mine.of[3])
#define BRICKWORK_FOUR_SUMS(i) BRICKWORK_SUM(i), BRICKWORK_SUM(i + 1), BRICKWORK_SUM(i + 2), BRICKWORK_SUM(i + 3)
#define BRICKWORK_SUMS_64 BRICKWORK_FOUR_SUMS(0), BRICKWORK_FOUR_SUMS(4)
#define BRICKWORK_SUMS_128 BRICKWORK_SUMS_64, BRICKWORK_FOUR_SUMS(8), BRICKWORK_FOUR_SUMS(12)
#define BRICKWORK_SUMS_256 \
  BRICKWORK_SUMS_128, BRICKWORK_FOUR_SUMS(16), BRICKWORK_FOUR_SUMS(20), BRICKWORK_FOUR_SUMS(24), BRICKWORK_FOUR_SUMS(28)
#define BRICKWORK_NAMES_64                                               \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15" \
  ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define BRICKWORK_NAMES_128                                                          \
  BRICKWORK_NAMES_64                                                                 \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47" \
  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define BRICKWORK_NAMES_256                                                                      \
  BRICKWORK_NAMES_128                                                                            \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"             \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"             \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
// wgmma for n columns of sums; a, b and transposed are the names of the operands after the sums.
#define BRICKWORK_WGMMA(n, a, b, transposed)                                                                \
  asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0; wgmma.mma_async.sync.aligned.m64n" #n              \
               "k16.f32.bf16.bf16 {" BRICKWORK_NAMES_##n "}, " a ", " b ", add, 1, 1, " transposed ", 1; }" \
               : BRICKWORK_SUMS_##n                                                                         \
               : "l"(of_a), "l"(of_b), "n"(Tile::kATransposed ? 1 : 0))
    if constexpr (Tile::kN == 64) {
      BRICKWORK_WGMMA(64, "%32", "%33", "%34");
    } else if constexpr (Tile::kN == 128) {
      BRICKWORK_WGMMA(128, "%64", "%65", "%66");
    } else {
      static_assert(Tile::kN == 256);
      BRICKWORK_WGMMA(256, "%128", "%129", "%130");
    }
#undef BRICKWORK_WGMMA
#undef BRICKWORK_NAMES_256
#undef BRICKWORK_NAMES_128
#undef BRICKWORK_NAMES_64
#undef BRICKWORK_SUMS_256
#undef BRICKWORK_SUMS_128
#undef BRICKWORK_SUMS_64
#undef BRICKWORK_FOUR_SUMS
#undef BRICKWORK_SUM
#else
    __trap();
#endif
  }

 private:
  // wgmma's matrix descriptor: the address; the distances between groups of 64 columns and between atoms of 8 rows, in
  // units of 16 bytes; the swizzle.
  template <class Operand>
  __device__ std::uint64_t descriptor(int at) const {
    constexpr std::uint64_t kSwizzle128 = std::uint64_t{1} << 62;
    constexpr std::uint64_t kRest =
        kSwizzle128 | std::uint64_t{Operand::kNextColumns / 16} << 16 | std::uint64_t{Operand::kAtom / 16} << 32;
    constexpr std::uint32_t kLow = kRest & 0xFFFFFFFF, kHigh = kRest >> 32;
    std::uint64_t descriptor;
    asm("mov.b64 %0, {%1, %2};"
        : "=l"(descriptor)
        : "r"(kLow + (scratch >> 4) + static_cast<unsigned>(at) / 16), "r"(kHigh));
    return descriptor;
  }
};

class CudaWarpgroups : public CudaWarps {
 public:
  using Warp = CudaWarpOfGroup;
  using CudaWarps::CudaWarps;

  template <class F>
  __device__ void each_warp(const F& f) const {
    CudaWarps::each_warp([&](const CudaWarp& warp, int number) {
      CudaWarpOfGroup of_group{warp};
      f(of_group, number);
    });
  }
  __device__ void publish() const { BRICKWORK_SM90A(asm volatile("fence.proxy.async.shared::cta;" ::: "memory")); }
  __device__ void commit_products() const {
    BRICKWORK_SM90A(asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"));
  }
  template <int unfinished>
  __device__ void wait_products() const {
    BRICKWORK_SM90A(asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(unfinished) : "memory"));
  }
};

#undef BRICKWORK_SM90A

}  // namespace brickwork
