// The simd brick for one instruction set; brgemm_simd_<isa>.cpp includes it for its target (Highway's foreach_target).
#if defined(BRICKWORK_BRGEMM_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRICKWORK_BRGEMM_SIMD_INL_H_
#undef BRICKWORK_BRGEMM_SIMD_INL_H_
#else
#define BRICKWORK_BRGEMM_SIMD_INL_H_
#endif

#include <type_traits>
#include <utility>

#include "brgemm_rows-inl.h"
#include "brgemm_simd.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "registers-inl.h"

// Highway also includes this for the build's baseline (SSE2 or scalar code), which gets no brick.
#if HWY_TARGET & (HWY_AVX2 | HWY_AVX3 | HWY_NEON)
HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

constexpr int kCacheLine = 64 / sizeof(float);

// Most rows of a register tile that is `vecs` wide: the accumulators, one row of B and one broadcast of A must fit.
constexpr int MaxRows(int vecs) {
  if (kRegisters == 16) return vecs == 1 ? 13 : vecs == 2 ? 6 : vecs == 3 ? 4 : 3;
  return vecs == 1 ? 28 : vecs == 2 ? 14 : vecs == 3 ? 9 : 7;
}

// Steps over k between two ends of the loop around them, whose exit a CPU foresees where a member has few: 2 % of 6 x
// 64 tiles and 5 % of 14 x 16 ones (Emerald Rapids, k = 64). Where too few registers are free GCC spills sums between
// the steps, which costs more.
constexpr int StepsAtOnce(int rows, int vecs) {
  const int free = kRegisters - rows * vecs - vecs - 1;
  const bool gcc_copes = free >= 3 || (kRegisters == 32 && vecs == 1);
  return gcc_copes ? 4 : free >= 1 ? 2 : 1;
}

// What is fixed of a register tile of kRows_ x (kVecs_ * lanes), whose last vector is cut when kTail_.
template <int kRows_, int kVecs_, bool kTail_, bool kTransposed_>
struct Tile {
  static constexpr int kRows = kRows_, kVecs = kVecs_;
  static constexpr bool kTail = kTail_, kTransposed = kTransposed_;
  // Beside the sums there are a row of B and an element of A.
  static constexpr int kSums = independent_sums(kRegisters, kRows* kVecs, kVecs + 1);
  static constexpr int kTurn = std::max(kSums, StepsAtOnce(kRows, kVecs));  // steps over k
  // 7 x 4, the tile of 7 x 7 images, leaves no room for a row of B beside its sums: B is read from L1 again for every
  // group of rows, which costs loads that are to spare and halves the traffic from L2 that 4 + 3 rows would cause.
  static constexpr bool kHoldB = kRows * kVecs + kVecs + 1 <= kRegisters;
  // A part of a tile is a loop over k of its own, which a narrower tile is not worth, nor one of a transposed A: its
  // rows are channels, and none of them is known to be zeros.
  static constexpr bool kLeavesOutRows = kVecs == 4 && kRows > 2 && !kTransposed;
  static constexpr bool kAsksForB = may_ask_for_b(kRows, kRows, kVecs);  // where it is a call's only one, too

  using Acc = V[kRows][kVecs];
  using A = std::conditional_t<kTransposed, RowsOfTransposedA, RowsOfA>;
};

// Access to the columns of a tile.
template <class T>
struct Columns {
  hn::Mask<D> tail;

  HWY_INLINE V Load(const float* p, int v) const {
    return T::kTail && v == T::kVecs - 1 ? hn::MaskedLoad(tail, D(), p + v * kLanes) : hn::LoadU(D(), p + v * kLanes);
  }
  HWY_INLINE void Store(V x, float* p, int v, bool stream) const {
    if (T::kTail && v == T::kVecs - 1) {
      hn::BlendedStore(x, tail, D(), p + v * kLanes);
    } else if (stream) {
      hn::Stream(x, D(), p + v * kLanes);
    } else {
      hn::StoreU(x, D(), p + v * kLanes);
    }
  }
};

// Rows kFirst .. kEnd of a tile, where a member adds nothing to the others.
template <int kFirst_, int kEnd_>
struct Part {
  static constexpr int kFirst = kFirst_, kEnd = kEnd_;
};

// The kStep-th step over k from where the rows' bases are, with a row of B in registers.
template <class T, class P, int kStep>
HWY_INLINE void AddStepHoldingB(typename T::Acc& acc, const Columns<T>& columns, const typename T::A& rows,
                                const float* b) {
  V b_row[T::kVecs];
  BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) b_row[v] = KeptInRegister(columns.Load(b, v));
  constexpr int kSharing = T::A::kSharing;
  const char* from = rows.First(kStep);
  BRICKWORK_UNROLL for (int r = 0; r < P::kEnd; ++r) {
    if (r > 0 && r % kSharing == 0) Keep(from += kSharing * rows.ld);
    if (r < P::kFirst) continue;
    const V a_rk = hn::Set(D(), *rows.At(from, r % kSharing, kStep));
    BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) acc[r][v] = hn::MulAdd(a_rk, b_row[v], acc[r][v]);
  }
}

// The same where the registers hold as many rows of A as there is room for, and a vector of B.
template <class T, class P, int kStep>
HWY_INLINE void AddStepInGroups(typename T::Acc& acc, const Columns<T>& columns, const typename T::A& rows,
                                const float* b_row) {
  constexpr int kGroup = kRegisters - 1 - T::kRows * T::kVecs;
  const char* from = rows.First(kStep);
  BRICKWORK_UNROLL for (int first = P::kFirst; first < P::kEnd; first += kGroup) {
    const int end = std::min(P::kEnd, first + kGroup);
    V a_k[kGroup];
    BRICKWORK_UNROLL for (int r = first; r < end; ++r) {
      a_k[r - first] = KeptInRegister(hn::Set(D(), *rows.At(from, r, kStep)));
    }
    BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) {
      const V loaded = columns.Load(b_row, v);
      const V b_kv = end - first == 1 ? loaded : KeptInRegister(loaded);  // of one FMA it may be the memory operand
      BRICKWORK_UNROLL for (int r = first; r < end; ++r) acc[r][v] = hn::MulAdd(a_k[r - first], b_kv, acc[r][v]);
    }
    Keep(b_row);  // or GCC holds it, from group to group
  }
}

template <class T, class P, bool kAsk, int kStep>
HWY_INLINE void AddStep(typename T::Acc& acc, const Columns<T>& columns, typename T::A& rows_a, RowsOfB& rows_b,
                        std::int64_t ahead) {
  rows_a.Forget();
  rows_b.Forget();
  const float* b = rows_b.At(kStep);
  if constexpr (kAsk) {
    const char* row = reinterpret_cast<const char*>(b) + ahead;
    BRICKWORK_UNROLL for (int j = 0; j < T::kVecs * kLanes; j += kCacheLine) hwy::Prefetch(row + sizeof(float) * j);
  }
  if constexpr (T::kHoldB) {
    AddStepHoldingB<T, P, kStep>(acc, columns, rows_a, b);
  } else {
    AddStepInGroups<T, P, kStep>(acc, columns, rows_a, b);
  }
}

// The steps over k from `k` on, as many as are whole turns of the loop, of 1, 2 or a multiple of 4 steps; returns the
// first that is left.
template <class T, class P, int kTurn, bool kAsk>
HWY_INLINE int AddTurns(typename T::Acc (&sum)[T::kSums], const Columns<T>& columns, typename T::A& rows_a,
                        RowsOfB& rows_b, std::int64_t ahead, int k, int k_size) {
  constexpr int kSums = T::kSums;
  constexpr int kAtOnce = std::min(kTurn, RowsOfB::kAtOnce);
  for (; k + kTurn <= k_size; k += kTurn) {
    BRICKWORK_UNROLL for (int u = 0; u < kTurn; u += kAtOnce) {
      AddStep<T, P, kAsk, 0>(sum[u % kSums], columns, rows_a, rows_b, ahead);
      if constexpr (kAtOnce > 1) AddStep<T, P, kAsk, 1>(sum[(u + 1) % kSums], columns, rows_a, rows_b, ahead);
      if constexpr (kAtOnce > 2) {
        AddStep<T, P, kAsk, 2>(sum[(u + 2) % kSums], columns, rows_a, rows_b, ahead);
        AddStep<T, P, kAsk, 3>(sum[(u + 3) % kSums], columns, rows_a, rows_b, ahead);
      }
      rows_a.Advance(kAtOnce);
      rows_b.base += kAtOnce * rows_b.ld;
    }
  }
  return k;
}

// sum += A_i B_i
template <class T, class P>
HWY_INLINE void AddMember(typename T::Acc (&sum)[T::kSums], const Columns<T>& columns, const float* a, std::int64_t lda,
                          const float* b, std::int64_t ldb, std::int64_t ahead, int k_size) {
  typename T::A rows_a(a, lda);
  RowsOfB rows_b(b, ldb);
  constexpr bool kWhole = P::kEnd - P::kFirst == T::kRows;  // parts are rare, and long to compile
  constexpr int kTurn = kWhole ? T::kTurn : 1;
  constexpr bool kAsks = kWhole && T::kAsksForB;
  const int k = kAsks && ahead != 0 ? AddTurns<T, P, kTurn, kAsks>(sum, columns, rows_a, rows_b, ahead, 0, k_size)
                                    : AddTurns<T, P, kTurn, false>(sum, columns, rows_a, rows_b, ahead, 0, k_size);
  if constexpr (kTurn > 1) AddTurns<T, P, 1, false>(sum, columns, rows_a, rows_b, ahead, k, k_size);
}

// acc += the rows at p, or one row over and over where ld is 0.
template <class T>
HWY_INLINE void AddRows(typename T::Acc& acc, const Columns<T>& columns, const float* p, std::int64_t ld) {
  BRICKWORK_UNROLL for (int r = 0; r < T::kRows; ++r) {
    BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) acc[r][v] = hn::Add(acc[r][v], columns.Load(p, v));
    Keep(p += ld);
  }
}

// acc = 0 where the rows at p are not above 0: the derivative of relu.
template <class T>
HWY_INLINE void StopRows(typename T::Acc& acc, const Columns<T>& columns, const float* p, std::int64_t ld) {
  BRICKWORK_UNROLL for (int r = 0; r < T::kRows; ++r) {
    BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) {
      acc[r][v] = hn::IfThenZeroElse(hn::Le(columns.Load(p, v), hn::Zero(D())), acc[r][v]);
    }
    Keep(p += ld);
  }
}

// Stores the tile whose first row is `row`, after the call's epilogue but for a curve. Its steps are chosen here and
// not by template: a branch each, for a tile as a whole, is nothing beside its sums.
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

template <int kRows>
HWY_INLINE void PrefetchRows(const float* from, std::int64_t lda, std::int64_t length) {
  for (std::int64_t j = 0; j < length; j += kCacheLine) {
    const float* row = from + j;
    BRICKWORK_UNROLL for (int r = 0; r < kRows; ++r, row += lda) hwy::Prefetch(row);
  }
}

// `band.tiles` tiles, one below the other.
template <class T>
HWY_NOINLINE void RunBand(const BrgemmShape& shape, const BrgemmCall& call, const Band& band) {
  // Copies of what each member needs: read from the call every time, it cost 2 to 3 % of AVX2's 28 x 64 tiles.
  const std::int64_t lda = shape.lda, ldb = shape.ldb;
  const int k_size = shape.k, period = band.period;
  const Batch batch = call.batch;
  const std::int64_t next_a = call.next_a, column = band.column;
  const Columns<T> columns{hn::FirstN(D(), static_cast<std::size_t>(T::kTail ? band.last_lanes : kLanes))};

  const std::int64_t row_of_a = T::kTransposed ? 1 : lda;
  std::int64_t row = band.row, a_offset = band.row * row_of_a;
  const LiveRows* live_rows = band.live_rows.data();  // by place in the period
  for (int tile = 0; tile < band.tiles; ++tile, row += T::kRows, a_offset += T::kRows * row_of_a, live_rows += period) {
    typename T::Acc sum[T::kSums];
    BRICKWORK_UNROLL for (int u = 0; u < T::kSums; ++u) {
      BRICKWORK_UNROLL for (int r = 0; r < T::kRows; ++r) {
        BRICKWORK_UNROLL for (int v = 0; v < T::kVecs; ++v) sum[u][r][v] = hn::Zero(D());
      }
    }
    const bool asks =
        may_ask_for_b(shape.m, T::kRows, T::kVecs) && band.access.asks_for_b(shape, batch.size, T::kRows, tile == 0);
    const std::int64_t ahead = asks ? band.access.ahead * ldb * static_cast<std::int64_t>(sizeof(float)) : 0;
    int place = 0;
    for (std::int64_t i = 0; i < batch.size; ++i) {
      LiveRows live = LiveRows::all;
      if constexpr (T::kLeavesOutRows) {
        if (period != 0) live = live_rows[place];
        place = place + 1 == period ? 0 : place + 1;
        if (live == LiveRows::none) continue;
      }
      // Or GCC adds up i * stride in memory for batches that have no strides: 1 to 2 % of 7 x 64 tiles of one member.
      std::int64_t member = i;
      Keep(member);
      const float* a = batch.a<float>(member) + a_offset;
      // (To ask for all steps of a transposed A at once cost 5 to 15 %.)
      if (!T::kTransposed && next_a != 0) PrefetchRows<T::kRows>(a + next_a, lda, std::min<std::int64_t>(k_size, lda));
      const float* b = batch.b<float>(member) + column;
      if (T::kLeavesOutRows && live == LiveRows::but_first) {
        AddMember<T, Part<1, T::kRows>>(sum, columns, a, lda, b, ldb, ahead, k_size);
      } else if (T::kLeavesOutRows && live == LiveRows::but_last) {
        AddMember<T, Part<0, T::kRows - 1>>(sum, columns, a, lda, b, ldb, ahead, k_size);
      } else {
        AddMember<T, Part<0, T::kRows>>(sum, columns, a, lda, b, ldb, ahead, k_size);
      }
    }
    // Or GCC fetches what the end needs before the beginning and holds it across the loop over k: 1 to 2 % of 7 x 64
    // and 6 x 16 tiles.
    const BrgemmCall* then = &call;
    Keep(then);
    Finish<T>(sum, columns, shape, *then, band, row);
  }
}

template <int kVecs, bool kTail, bool kTransposed, int... kRowsMinus1>
const BandFunction* ByRows(std::integer_sequence<int, kRowsMinus1...>) {
  static constexpr BandFunction kBands[] = {&RunBand<Tile<kRowsMinus1 + 1, kVecs, kTail, kTransposed>>...};
  return kBands;
}

template <int kVecs, bool kTransposed>
const BandFunction* ByRows(bool tail) {
  constexpr auto kSequence = std::make_integer_sequence<int, MaxRows(kVecs)>();
  return tail ? ByRows<kVecs, true, kTransposed>(kSequence) : ByRows<kVecs, false, kTransposed>(kSequence);
}

template <int kVecs>
const BandFunction* ByRows(bool tail, bool a_transposed) {
  return a_transposed ? ByRows<kVecs, true>(tail) : ByRows<kVecs, false>(tail);
}

const BandFunction* ByRows(int vecs, bool tail, bool a_transposed) {
  switch (vecs) {
    case 1:
      return ByRows<1>(tail, a_transposed);
    case 2:
      return ByRows<2>(tail, a_transposed);
    case 3:
      return ByRows<3>(tail, a_transposed);
    default:
      return ByRows<4>(tail, a_transposed);
  }
}

// Panels of near-equal width: n = 80 becomes 3 + 2 vectors, so that no tile is left too small to fill the FMA ports.
std::vector<Panel> CutColumns(const BrgemmShape& shape, const SimdTuning& tuning, int widest) {
  std::vector<Panel> panels;
  const int n = shape.n;
  const int vecs_total = (n + kLanes - 1) / kLanes;
  const EqualSpans spans(vecs_total, widest);
  for (int i = 0; i < spans.pieces; ++i) {
    const Span vecs = spans[i];
    const int last_lanes = vecs.end() == vecs_total ? n - (vecs_total - 1) * kLanes : kLanes;
    const auto rows = std::min<std::int64_t>(tuning.rows(vecs.size), MaxRows(vecs.size));
    panels.push_back({std::int64_t{vecs.begin} * kLanes, vecs.size, last_lanes,
                      ByRows(vecs.size, last_lanes < kLanes, shape.a_transposed), static_cast<int>(rows),
                      tuning.whole ? MaxRows(vecs.size) : 0});
  }
  return panels;
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // per-target include guard
