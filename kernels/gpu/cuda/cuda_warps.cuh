// A CUDA thread block as the Block of brgemm_mma, for sm_80 and later; older devices trap.
#pragma once
#include <cstdint>
#include <type_traits>

#include "kernels/base/bf16.hpp"
#include "kernels/gpu/mma/mma_fragments.hpp"

namespace brickwork {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define BRICKWORK_SM80(...) __VA_ARGS__
#else
#define BRICKWORK_SM80(...) __trap()
#endif

struct CudaWarp {
  // State of the calling lane.
  template <class S>
  struct Lanes {
    S mine;
    __device__ S& operator[](int) { return mine; }
    __device__ const S& operator[](int) const { return mine; }
  };
  std::uint32_t scratch;  // address of the scratch in shared memory

  template <class F>
  __device__ void each_lane(const F& f) const {
    f(static_cast<int>(threadIdx.x % mma::kLanes));
  }

  // address(lane): place in the scratch of the matrix row of that lane.
  template <bool transposed, class Address>
  __device__ void load_matrices(Lanes<mma::Registers>& to, const Address& address) const {
    [[maybe_unused]] const std::uint32_t at = scratch + address(static_cast<int>(threadIdx.x % mma::kLanes));
    [[maybe_unused]] std::uint32_t(&r)[4] = to.mine.of;
    if constexpr (transposed) {
      BRICKWORK_SM80(asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                                  : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                                  : "r"(at)
                                  : "memory"));
    } else {
      BRICKWORK_SM80(asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                                  : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                                  : "r"(at)
                                  : "memory"));
    }
  }

  __device__ std::uint32_t to_tf32([[maybe_unused]] float x) const {
    std::uint32_t bits = 0;
    BRICKWORK_SM80(asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x)));
    return bits;
  }

  // `which`: the first or the second fragment in b.
  template <class T>
  __device__ void multiply_add(Lanes<mma::Sums>& sums, const Lanes<mma::Registers>& a, const Lanes<mma::Registers>& b,
                               int which) const {
    [[maybe_unused]] float(&d)[4] = sums.mine.of;
    [[maybe_unused]] const std::uint32_t(&x)[4] = a.mine.of;
    [[maybe_unused]] const std::uint32_t b0 = b.mine.of[2 * which], b1 = b.mine.of[2 * which + 1];
    if constexpr (sizeof(T) == 2) {
      BRICKWORK_SM80(
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                       "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                       : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                       : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(b0), "r"(b1)));
    } else {
      BRICKWORK_SM80(
          asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                       "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                       : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                       : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(b0), "r"(b1)));
    }
  }
};

class CudaWarps {
 public:
  using Warp = CudaWarp;
  // State of the calling warp, or thread.
  template <class S>
  struct PerWarp {
    S mine;
    __device__ S& operator[](int) { return mine; }
  };
  template <class S>
  using PerThread = PerWarp<S>;

  __device__ explicit CudaWarps(void* scratch)
      : scratch_(static_cast<std::uint32_t>(__cvta_generic_to_shared(scratch))) {}

  template <class F>
  __device__ void each_thread(const F& f) const {
    f(static_cast<int>(threadIdx.x));
  }
  template <class F>
  __device__ void each_warp(const F& f) const {
    CudaWarp warp{scratch_};
    __syncwarp();  // its instructions need all lanes, which copies at edges may have separated
    f(warp, static_cast<int>(threadIdx.x / mma::kLanes));
  }
  __device__ void barrier() const { __syncthreads(); }

  template <bool all>
  __device__ void copy_async([[maybe_unused]] int to, [[maybe_unused]] const void* from,
                             [[maybe_unused]] bool live) const {
    if constexpr (all) {
      BRICKWORK_SM80(asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(scratch_ + to), "l"(from)
                                  : "memory"));
      return;
    }
    BRICKWORK_SM80(
        asm volatile("{ .reg .pred none; setp.eq.u32 none, %2, 0;"
                     " cp.async.cg.shared.global [%0], [%1], 16, none; }" ::"r"(scratch_ + to),
                     "l"(from), "r"(static_cast<unsigned>(live))
                     : "memory"));
  }
  // Copies 4 bytes.
  template <bool all>
  __device__ void copy_element_async([[maybe_unused]] int to, [[maybe_unused]] const void* from,
                                     [[maybe_unused]] bool live) const {
    if constexpr (all) {
      BRICKWORK_SM80(asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(scratch_ + to), "l"(from)
                                  : "memory"));
      return;
    }
    BRICKWORK_SM80(
        asm volatile("{ .reg .pred none; setp.eq.u32 none, %2, 0;"
                     " cp.async.ca.shared.global [%0], [%1], 4, none; }" ::"r"(scratch_ + to),
                     "l"(from), "r"(static_cast<unsigned>(live))
                     : "memory"));
  }
  __device__ void commit() const { BRICKWORK_SM80(asm volatile("cp.async.commit_group;" ::: "memory")); }
  template <int unfinished>
  __device__ void wait() const {
    BRICKWORK_SM80(asm volatile("cp.async.wait_group %0;" ::"n"(unfinished) : "memory"));
  }

  // Assembly, because the scratch reaches the brick as a generic pointer: the compiler does not know that it is shared
  // memory.
  template <class T>
  __device__ T load(int from) const {
    T x;
    if constexpr (std::is_same_v<T, std::int64_t>) {
      asm volatile("ld.shared.s64 %0, [%1];" : "=l"(x) : "r"(scratch_ + from) : "memory");
    } else {
      static_assert(std::is_same_v<T, float>);
      asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(scratch_ + from) : "memory");
    }
    return x;
  }
  __device__ void load_four(int from, float (&x)[4]) const {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                 : "r"(scratch_ + from)
                 : "memory");
  }
  __device__ void store(int to, float x) const {
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(scratch_ + to), "f"(x) : "memory");
  }
  __device__ void store_two(int to, float x, float next) const {
    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(scratch_ + to), "f"(x), "f"(next) : "memory");
  }
  __device__ void store(int to, std::int64_t x) const {
    asm volatile("st.shared.s64 [%0], %1;" ::"r"(scratch_ + to), "l"(x) : "memory");
  }
  __device__ void store(int to, bf16 x) const {
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(scratch_ + to), "h"(x.bits) : "memory");
  }

 private:
  std::uint32_t scratch_;
};

#undef BRICKWORK_SM80

}  // namespace brickwork
