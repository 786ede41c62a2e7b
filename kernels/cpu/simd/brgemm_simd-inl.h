// The simd brick for one instruction set; brgemm_simd_<isa>.cpp includes it for its target (Highway's foreach_target).
#if defined(BRICKWORK_BRGEMM_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRICKWORK_BRGEMM_SIMD_INL_H_
#undef BRICKWORK_BRGEMM_SIMD_INL_H_
#else
#define BRICKWORK_BRGEMM_SIMD_INL_H_
#endif

#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "kernels/cpu/simd/brgemm_simd.hpp"
#include "kernels/cpu/simd/registers-inl.h"

// Highway also includes this for the build's baseline (SSE2 or scalar code), for which there is no brick.
#if HWY_TARGET & (HWY_AVX2 | HWY_AVX3 | HWY_NEON)
HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

constexpr int kRegisters = HWY_TARGET == HWY_AVX2 ? 16 : 32;

// Most rows of a register tile `vecs` wide: the accumulators, a row of B and an element of A fit the registers (but see
// Tile::kHoldB).
constexpr int MaxRows(int vecs) {
  if (kRegisters == 16) return vecs == 1 ? 13 : vecs == 2 ? 6 : vecs == 3 ? 4 : 3;
  return vecs == 1 ? 28 : vecs == 2 ? 14 : vecs == 3 ? 9 : 7;
}

// Constants of a register tile of kRows_ x (kVecs_ * lanes). Where tiles are generated, compiled ones are seldom used,
// so they are few and plain: one per size, for both layouts of A and with or without a cut last vector; no prefetching;
// and a pointer moves from row to row of A.
template <int kRows_, int kVecs_>
struct Tile {
  static constexpr int kRows = kRows_, kVecs = kVecs_;
  // The other registers hold a row of B and an element of A.
  static constexpr int kSums = independent_sums(kRegisters, kRows* kVecs, kVecs + 1);
  // A 7 x 4 tile, for 7 x 7 images, leaves no registers for a row of B. It reads B from L1 again for every row, as
  // there are loads to spare. That halves the traffic from L2 that tiles of 4 + 3 rows would cause.
  static constexpr bool kHoldB = kRows * kVecs + kVecs + 1 <= kRegisters;

  using Acc = V[kRows][kVecs];
};

template <class T>
struct Columns {
  hn::Mask<D> last;  // lanes of the last vector that lie in C
  bool cut;          // the last vector has lanes outside C

  HWY_INLINE V Load(const float* p, int v) const {
    return v == T::kVecs - 1 ? hn::MaskedLoad(last, D(), p + v * kLanes) : hn::LoadU(D(), p + v * kLanes);
  }
  HWY_INLINE void Store(V x, float* p, int v, bool stream) const {
    if (cut && v == T::kVecs - 1) {
      hn::BlendedStore(x, last, D(), p + v * kLanes);
    } else if (stream) {
      hn::Stream(x, D(), p + v * kLanes);
    } else {
      hn::StoreU(x, D(), p + v * kLanes);
    }
  }
};

// The addresses of a member's next step over k. Distances are in elements.
struct Step {
  const float *a, *b;
  std::int64_t row_of_a, step_of_a, ldb;
};

template <class T>
HWY_INLINE void AddStep(typename T::Acc& acc, const Columns<T>& columns, Step& at) {
  const float *a = at.a, *b = at.b;
  V b_row[T::kVecs];
  BRICKWORK_UNROLL for (int v = 0; v < T::kVecs && T::kHoldB; ++v) b_row[v] = KeptInRegister(columns.Load(b, v));
  BRICKWORK_UNROLL for (int r = 0; r < T::kRows; ++r) {
    const V a_rk = hn::Set(D(), *a);
    BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) {
      acc[r][v] = hn::MulAdd(a_rk, T::kHoldB ? b_row[v] : columns.Load(b, v), acc[r][v]);
    }
    Keep(a += at.row_of_a);
    if (!T::kHoldB) Keep(b);  // otherwise GCC tries to hold the row of B
  }
  at.a += at.step_of_a;
  at.b += at.ldb;
}

// sum += A_i B_i
template <class T>
HWY_INLINE void AddMember(typename T::Acc (&sum)[T::kSums], const Columns<T>& columns, Step at, int k_size) {
  int k = 0;
  for (; k + T::kSums <= k_size; k += T::kSums) {
    BRICKWORK_UNROLL for (int u = 0; u < T::kSums; ++u) AddStep<T>(sum[u], columns, at);
  }
  for (; T::kSums > 1 && k < k_size; ++k) AddStep<T>(sum[0], columns, at);
}

// acc += the rows at p; if ld is 0, the same row every time.
template <class T>
HWY_INLINE void AddRows(typename T::Acc& acc, const Columns<T>& columns, const float* p, std::int64_t ld) {
  BRICKWORK_UNROLL for (int r = 0; r < T::kRows; ++r) {
    BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) acc[r][v] = hn::Add(acc[r][v], columns.Load(p, v));
    Keep(p += ld);
  }
}

// acc = 0 where the rows at p are <= 0: the derivative of relu.
template <class T>
HWY_INLINE void StopRows(typename T::Acc& acc, const Columns<T>& columns, const float* p, std::int64_t ld) {
  BRICKWORK_UNROLL for (int r = 0; r < T::kRows; ++r) {
    BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) {
      acc[r][v] = hn::IfThenZeroElse(hn::Le(columns.Load(p, v), hn::Zero(D())), acc[r][v]);
    }
    Keep(p += ld);
  }
}

// Adds up the sums, applies the epilogue (except a curve) and stores the tile from row `row` on. The epilogue's steps
// are run-time branches and no template parameters: a few branches per tile cost nothing beside its sums.
template <class T>
HWY_INLINE void Finish(typename T::Acc (&sum)[T::kSums], const Columns<T>& columns, const BrgemmShape& shape,
                       const BrgemmCall& call, const Band& band, std::int64_t row) {
  typename T::Acc& acc = sum[0];
  BRICKWORK_UNROLL for (int u = 1; u < T::kSums; ++u) {
    BRICKWORK_UNROLL for (int r = 0; r < T::kRows; ++r) {
      BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) acc[r][v] = hn::Add(acc[r][v], sum[u][r][v]);
    }
  }
  const TileEpilogue& epilogue = call.epilogue;
  const std::int64_t ldc = shape.ldc, column = band.column;
  float* c = static_cast<float*>(call.c) + row * ldc + column;
  if (shape.beta != 0) AddRows<T>(acc, columns, c, ldc);
  if (epilogue.bias) AddRows<T>(acc, columns, epilogue.bias + column, 0);
  if (const auto* residual = static_cast<const float*>(epilogue.residual)) {
    AddRows<T>(acc, columns, residual + row * epilogue.ldr + column, epilogue.ldr);
  }
  if (epilogue.activation == Activation::relu) {
    const auto* at = static_cast<const float*>(epilogue.at);
    if (at) {
      StopRows<T>(acc, columns, at + row * epilogue.ldat + column, epilogue.ldat);
    } else {
      BRICKWORK_UNROLL for (int r = 0; r < T::kRows; ++r) {
        BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) {
          acc[r][v] = hn::IfThenZeroElse(hn::Lt(acc[r][v], hn::Zero(D())), acc[r][v]);
        }
      }
    }
  }
  const bool stream = band.access.streams(c, shape, epilogue, kLanes);
  BRICKWORK_UNROLL for (int r = 0; r < T::kRows; ++r) {
    BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) columns.Store(acc[r][v], c, v, stream);
    Keep(c += ldc);
  }
}

// `band.tiles` tiles, one below the other. Rows that are known to be zero are added like others.
template <class T>
HWY_NOINLINE void RunBand(const BrgemmShape& shape, const BrgemmCall& call, const Band& band) {
  // Copies of what each member needs: reading it from the call every time cost 2 to 3 % of the time of AVX2's 28 x 64
  // tiles.
  const std::int64_t row_of_a = shape.row_of_a(), step_of_a = shape.step_of_a(), ldb = shape.ldb;
  const int k_size = shape.k;
  const Batch batch = call.batch;
  const std::int64_t column = band.column;
  const Columns<T> columns{hn::FirstN(D(), static_cast<std::size_t>(band.last_lanes)), band.last_lanes < kLanes};

  std::int64_t row = band.row;
  for (int tile = 0; tile < band.tiles; ++tile, row += T::kRows) {
    typename T::Acc sum[T::kSums];
    BRICKWORK_UNROLL for (int u = 0; u < T::kSums; ++u) {
      BRICKWORK_UNROLL for (int r = 0; r < T::kRows; ++r) {
        BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) sum[u][r][v] = hn::Zero(D());
      }
    }
    for (std::int64_t i = 0; i < batch.size; ++i) {
      // Otherwise GCC adds up i * stride in memory even if the batch has offsets: 1 to 2 % of the time of 7 x 64 tiles
      // of one member.
      std::int64_t member = i;
      Keep(member);
      AddMember<T>(sum, columns,
                   {batch.a<float>(member) + row * row_of_a, batch.b<float>(member) + column, row_of_a, step_of_a, ldb},
                   k_size);
    }
    // Otherwise GCC loads what Finish needs before the loop over k and holds it across: 1 to 2 % of the time of 7 x 64
    // and 6 x 16 tiles.
    const BrgemmCall* then = &call;
    Keep(then);
    Finish<T>(sum, columns, shape, *then, band, row);
  }
}

template <int kVecs, int... kRowsMinus1>
const BandFunction* ByRows(std::integer_sequence<int, kRowsMinus1...>) {
  static constexpr BandFunction kBands[] = {&RunBand<Tile<kRowsMinus1 + 1, kVecs>>...};
  return kBands;
}

const BandFunction* ByRows(int vecs) {
  switch (vecs) {
    case 1:
      return ByRows<1>(std::make_integer_sequence<int, MaxRows(1)>());
    case 2:
      return ByRows<2>(std::make_integer_sequence<int, MaxRows(2)>());
    case 3:
      return ByRows<3>(std::make_integer_sequence<int, MaxRows(3)>());
    default:
      return ByRows<4>(std::make_integer_sequence<int, MaxRows(4)>());
  }
}

// Panels of near-equal width: n = 80 becomes 3 + 2 vectors, so that no tile is too small to fill the FMA ports.
std::vector<Panel> CutColumns(const BrgemmShape& shape, int widest) {
  std::vector<Panel> panels;
  const int n = shape.n;
  const int vecs_total = (n + kLanes - 1) / kLanes;
  const EqualSpans spans(vecs_total, widest);
  for (int i = 0; i < spans.count; ++i) {
    const Span vecs = spans[i];
    const int last_lanes = vecs.end() == vecs_total ? n - (vecs_total - 1) * kLanes : kLanes;
    panels.push_back({std::int64_t{vecs.begin} * kLanes, vecs.size, last_lanes, ByRows(vecs.size),
                      std::min(MaxRows(vecs.size), kMostRowsOfATile[vecs.size - 1]), MaxRows(vecs.size)});
  }
  return panels;
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // per-target include guard
