// The brick: batch-reduce GEMM, the one kernel every primitive is built from.
//
//   C[m][n] = epilogue(beta * C[m][n] + sum over i < batch, k < K of A_i[m][k] * B_i[k][n])
//
// All matrices are row-major; beta is 0 or 1. m counts pixels or minibatch rows, n output features (the vector
// direction), k input features. The batch is reduced in registers: C is loaded and stored once per register tile, not
// once per batch member. A loop of small GEMMs cannot do that.
//
// Source: Georganas et al., "High-Performance Deep Learning via a Single Building Block" (arXiv 1906.06440),
// Algorithm 1.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/dtype.hpp"
#include "kernels/base/host_device.hpp"
#include "kernels/base/result.hpp"
#include "kernels/brgemm/batch.hpp"
#include "kernels/brgemm/c_access.hpp"
#include "kernels/cpu/simd/simd_tuning.hpp"
#include "kernels/epilogue/epilogue.hpp"
#include "kernels/layout/image_pixels.hpp"

namespace brickwork {

enum class Backend {
  libxsmm,   // LIBXSMM's JIT, x86-64 only
  simd,      // our vector code for the best ISA at hand: Highway with run-time dispatch; x86 tiles are generated
  portable,  // plain loops, also callable from device code (brgemm_portable.hpp); the other two are tested against it
};

// Instruction set of the simd backend. `best` takes the best one of the machine; a named one is refused with a reason
// if the machine or this build lacks it.
enum class Isa { best, avx2, avx512, neon };

// The contract. Units: elements. Assumptions:
//
//   m, n, k >= 1; ldb >= n; ldc >= n.
//   lda >= 1, and lda < k is allowed: rows of A may overlap. (A convolution merges its S filter taps into k this way:
//   row q starts at pixel q * stride_w and is S * bc long.)
//   If a_transposed, A_i[m][k] lies at k * lda + m instead of m * lda + k, and lda < m is allowed. (A convolution's
//   weight update sums over pixels: its k counts the pixels of src, its m the channels.)
//   A_i, B_i and the arrays of offsets are only read. No access outside A_i and B_i, no write outside the m x n tile of
//   C. C overlaps no A_i or B_i. A pointer needs only the alignment of its element type.
struct BrgemmShape {
  int m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  bool a_transposed = false;
  int beta = 0;
  BatchKind batch_kind = BatchKind::strides;
  std::int64_t stride_a = 0, stride_b = 0;  // BatchKind::strides only
  // Device bricks only: their tiles are so high that they reach over several rows of an image. The rows of A_i (its
  // steps over k if a_transposed) and the rows of C are then pixels of images, and a call gives the first pixel. The
  // epilogue's residual and `at` then have C's layout.
  ImagePixels pixels_of_a, pixels_of_c;
  DType ab = DType::f32, c = DType::f32;

  // Offset of pixel x in A_i (a row, or a step over k) and in C (a row).
  BRICKWORK_HOST_DEVICE constexpr std::int64_t place_in_a(std::int64_t x) const { return pixels_of_a.place(x, lda); }
  BRICKWORK_HOST_DEVICE constexpr std::int64_t place_in_c(std::int64_t x) const { return pixels_of_c.place(x, ldc); }
  BRICKWORK_HOST_DEVICE constexpr bool has_pixels() const { return pixels_of_a.cols != 0 || pixels_of_c.cols != 0; }

  // Distance between rows of A_i, and between steps over k, if A_i has no pixels.
  BRICKWORK_HOST_DEVICE constexpr std::int64_t row_of_a() const { return a_transposed ? 1 : lda; }
  BRICKWORK_HOST_DEVICE constexpr std::int64_t step_of_a() const { return a_transposed ? lda : 1; }
  friend bool operator==(const BrgemmShape&, const BrgemmShape&) = default;
};

// Rows of A_i that are known to be zero. The batch consists of rounds of `period` members; row r of the t-th member of
// a round is zero unless begin <= r * step + t < end.
struct ZeroRows {
  int period = 0;  // 0: nothing is known
  std::int64_t step = 1, begin = 0, end = 0;

  constexpr bool zero(int row, int t) const {
    const std::int64_t at = row * step + t;
    return at < begin || at >= end;
  }
  friend bool operator==(const ZeroRows&, const ZeroRows&) = default;
};

// The origin of a register tile's code. If the build has a generator (generated_tiles.hpp), AVX-512 and AVX2
// tiles are generated; all others are compiled.
enum class TileCode { compiled, generated };

// Optional knowledge that a backend may use. No result depends on it.
struct BrgemmHints {
  CAccess c = CAccess::cached;
  ZeroRows zero_rows;                   // holds for calls with all m rows
  bool reads_next = false;              // calls set BrgemmCall::read_next
  SimdTuning tuning;                    // of the simd backend
  TileCode code = TileCode::generated;  // `compiled` lets tests reach the compiled tiles

  friend bool operator==(const BrgemmHints&, const BrgemmHints&) = default;
};

// Memory to be read soon: `count` rows of `bytes` bytes, `ld` bytes apart; ld >= bytes.
struct NextRows {
  static constexpr std::int64_t kLine = 64;
  const void* first = nullptr;
  std::int64_t bytes = 0;
  std::int64_t count = 1, ld = 0;

  BRICKWORK_HOST_DEVICE std::int64_t lines() const { return count * ((bytes + kLine - 1) / kLine); }

  // Shares [begin, end) of `shares` near-equal ones: of the rows, or of the cache lines if there is one row. Callers
  // can thus prefetch it piece by piece.
  BRICKWORK_HOST_DEVICE NextRows share(std::int64_t begin, std::int64_t end, std::int64_t shares) const {
    const std::int64_t all = count > 1 ? count : lines(), at = all * begin / shares, size = all * end / shares - at;
    const char* const from = static_cast<const char*>(first) + at * (count > 1 ? ld : kLine);
    return count > 1 ? NextRows{from, bytes, size, ld} : NextRows{from, size * kLine};
  }
  BRICKWORK_HOST_DEVICE NextRows share(std::int64_t i, std::int64_t shares) const { return share(i, i + 1, shares); }
};

// The arguments of one call.
struct BrgemmCall {
  Batch batch;                   // of the shape's batch kind; a batch of size 0 leaves beta * C
  void* c = nullptr;             // of the shape's type
  int rows = -1;                 // use only the first `rows` rows of A_i and C, 0 .. m; -1: all m
  std::int64_t first_pixel = 0;  // the pixel of the first row of A_i and C, or of the first step over k
  // Hint: the A_i of the next call lie this many elements further on (0: unknown). A backend may prefetch there; it
  // assumes nothing about that memory.
  std::int64_t next_a = 0;
  // Hint: memory that is read soon and lies elsewhere, such as the B of the next call. It is prefetched evenly during
  // the call, at most one line per step over k of a register tile.
  NextRows read_next;
  TileEpilogue epilogue;  // applied to the tile before it is stored, or directly after
};

std::string to_string(const BrgemmShape&);
std::string to_string(const BrgemmHints&);  // empty if there are no hints
std::string_view to_string(Backend);
std::string_view to_string(Isa);
std::string_view to_string(BatchKind);
Backend parse_backend(std::string_view);  // throws std::invalid_argument that names all backends
Isa parse_isa(std::string_view);          // throws std::invalid_argument that names all ISAs

// A batch with the shape's strides.
Batch strided_batch(const BrgemmShape&, const void* a, const void* b, std::int64_t size);

// One kernel for one shape. Thread-safe, stateless; made once, called millions of times.
class BrgemmKernel {
 public:
  explicit BrgemmKernel(const BrgemmShape& shape) : shape_(shape) {}
  virtual ~BrgemmKernel() = default;

  // Throws std::logic_error if the batch is of another kind than the shape's, or rows > m.
  void operator()(const BrgemmCall& call) const {
    if (call.batch.kind != shape_.batch_kind || call.rows > shape_.m) refuse(call);
    run(call);
  }
  const BrgemmShape& shape() const { return shape_; }
  virtual std::string_view isa() const = 0;  // the ISA that runs: "avx512", "cpx", "portable"

 protected:
  int rows_of(const BrgemmCall& call) const { return call.rows < 0 ? shape_.m : call.rows; }

 private:
  virtual void run(const BrgemmCall&) const = 0;
  [[noreturn]] void refuse(const BrgemmCall&) const;

  BrgemmShape shape_;
};

using BrgemmKernelPtr = std::shared_ptr<const BrgemmKernel>;

// The kernel, or the reason why this backend has none for the shape. It never falls back to another backend.
Result<BrgemmKernelPtr> make_brgemm(const BrgemmShape&, const BrgemmHints&, Backend, Isa = Isa::best);

// Whether the backend takes overlapping rows of A: lda < k, or lda < m if A is transposed. LIBXSMM refuses them.
constexpr bool takes_overlapping_rows(Backend backend) { return backend != Backend::libxsmm; }

struct BackendInfo {
  Backend backend;
  std::string version;        // of the library behind the backend, for result rows
  std::vector<Isa> isas;      // available in this build on this machine (simd only)
  std::string absent_reason;  // empty if the backend is available
};
std::vector<BackendInfo> brgemm_backends();
BackendInfo brgemm_backend(Backend);

}  // namespace brickwork
