// The brick: batch-reduce GEMM, the one kernel every primitive is built from.
//
//   C[m][n] = epilogue(beta * C[m][n] + sum over i < batch, k < K of A_i[m][k] * B_i[k][n])
//
// All matrices are row-major and beta is 0 or 1. m = pixels or minibatch rows, n = output features (the vector
// direction), k = input features. The batch is reduced in registers: C is loaded and stored once per register block,
// not once per member; that is what separates it from a loop of small GEMMs.
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
  simd,      // ours, for the instruction set at hand: Google Highway with run-time dispatch; x86's tiles generated
  portable,  // plain loops; also callable in device code (brgemm_portable.hpp); the oracle of the other two
};

// The instruction set of the simd backend. `best` is what the machine offers; a name asks for that one and is
// refused with a reason where the machine (or this build) lacks it.
enum class Isa { best, avx2, avx512, neon };

// The contract. Units: elements. Assumptions:
//   m, n, k >= 1; ldb >= n; ldc >= n.
//   lda >= 1 and may be smaller than k: rows of A may overlap. (A convolution merges its S filter taps into k this way:
//   row q starts at pixel q * stride_w and is S * bc long.)
//   Where a_transposed, A_i[m][k] lies at k * lda + m instead of m * lda + k, and lda may be smaller than m. (A
//   convolution's update of its weights sums over pixels: k is where src has its pixels, m where it has its channels.)
//   A_i and B_i are never written, nor are the arrays of offsets. Nothing outside the m x n tile of C is
//   written, nothing outside A_i and B_i is read. C overlaps no A_i or B_i. No pointer needs more alignment than its
//   element.
struct BrgemmShape {
  int m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  bool a_transposed = false;
  int beta = 0;
  BatchKind batch_kind = BatchKind::strides;
  std::int64_t stride_a = 0, stride_b = 0;  // BatchKind::strides only
  // Pixels of images that are the rows of A_i, or its steps over k where it is transposed, and the rows of C; a call
  // says with which one it begins. The residual and `at` of an epilogue then lie as C does. For the bricks of a device
  // alone: a tile there is as high as an image's row is long, or higher.
  ImagePixels pixels_of_a, pixels_of_c;
  DType ab = DType::f32, c = DType::f32;

  // Elements from A_i to the row, or the step over k, that pixel x is; and from C to its row.
  BRICKWORK_HOST_DEVICE constexpr std::int64_t place_in_a(std::int64_t x) const { return pixels_of_a.place(x, lda); }
  BRICKWORK_HOST_DEVICE constexpr std::int64_t place_in_c(std::int64_t x) const { return pixels_of_c.place(x, ldc); }
  BRICKWORK_HOST_DEVICE constexpr bool has_pixels() const { return pixels_of_a.cols != 0 || pixels_of_c.cols != 0; }

  // Elements from one row of A_i to the next, and from one step over k to the next, where they lie at one distance.
  BRICKWORK_HOST_DEVICE constexpr std::int64_t row_of_a() const { return a_transposed ? 1 : lda; }
  BRICKWORK_HOST_DEVICE constexpr std::int64_t step_of_a() const { return a_transposed ? lda : 1; }
  friend bool operator==(const BrgemmShape&, const BrgemmShape&) = default;
};

// Rows of A_i that are known to be zeros: where the batch comes in rounds of `period` members, row r of a round's t-th
// member is zeros unless begin <= r * step + t < end.
struct ZeroRows {
  int period = 0;  // 0: nothing is known
  std::int64_t step = 1, begin = 0, end = 0;

  constexpr bool zero(int row, int t) const {
    const std::int64_t at = row * step + t;
    return at < begin || at >= end;
  }
  friend bool operator==(const ZeroRows&, const ZeroRows&) = default;
};

// Where a register tile's code comes from. AVX-512's and AVX2's are generated where the build has a generator
// (generated_tiles.hpp), all others are compiled.
enum class TileCode { compiled, generated };

// What is known besides. A backend may make use of a hint; no result depends on it.
struct BrgemmHints {
  CAccess c = CAccess::cached;
  ZeroRows zero_rows;                   // of calls with all m rows
  bool reads_next = false;              // calls say what is read next (BrgemmCall::read_next)
  SimdTuning tuning;                    // of the simd backend
  TileCode code = TileCode::generated;  // compiled: so that tests reach those tiles where others are generated

  friend bool operator==(const BrgemmHints&, const BrgemmHints&) = default;
};

// Memory that is read: so many rows of so many bytes, which lie `ld` bytes apart, no less than they are long.
struct NextRows {
  static constexpr std::int64_t kLine = 64;
  const void* first = nullptr;
  std::int64_t bytes = 0;
  std::int64_t count = 1, ld = 0;

  BRICKWORK_HOST_DEVICE std::int64_t lines() const { return count * ((bytes + kLine - 1) / kLine); }

  // Of equal shares, for those that ask for it one after the other, the ones from begin to end: of the rows, or of a
  // single row's lines.
  BRICKWORK_HOST_DEVICE NextRows share(std::int64_t begin, std::int64_t end, std::int64_t shares) const {
    const std::int64_t all = count > 1 ? count : lines(), at = all * begin / shares, size = all * end / shares - at;
    const char* const from = static_cast<const char*>(first) + at * (count > 1 ? ld : kLine);
    return count > 1 ? NextRows{from, bytes, size, ld} : NextRows{from, size * kLine};
  }
  BRICKWORK_HOST_DEVICE NextRows share(std::int64_t i, std::int64_t shares) const { return share(i, i + 1, shares); }
};

// What changes from call to call.
struct BrgemmCall {
  Batch batch;                   // of the shape's kind; a batch of 0 leaves beta * C
  void* c = nullptr;             // of the shape's type
  int rows = -1;                 // only the first rows of A_i and C, 0 .. m; -1: all m
  std::int64_t first_pixel = 0;  // which one the first row of A_i and C is, or the first step over k
  // A hint: the next call will read its A_i this many elements further on (0: unknown). A backend may prefetch there;
  // nothing is assumed about that memory.
  std::int64_t next_a = 0;
  // Likewise: what is read soon and lies far away, such as the next call's B. It is asked for evenly during the call,
  // at most a line at each step over k of a register tile.
  NextRows read_next;
  TileEpilogue epilogue;  // applied to the tile before it is stored, or right after
};

std::string to_string(const BrgemmShape&);
std::string to_string(const BrgemmHints&);  // empty where there is none
std::string_view to_string(Backend);
std::string_view to_string(Isa);
std::string_view to_string(BatchKind);
Backend parse_backend(std::string_view);  // throws std::invalid_argument naming the backends there are
Isa parse_isa(std::string_view);          // likewise

// A batch whose strides are the shape's.
Batch strided_batch(const BrgemmShape&, const void* a, const void* b, std::int64_t size);

// One kernel for one shape. Thread-safe, stateless; made once, called millions of times.
class BrgemmKernel {
 public:
  explicit BrgemmKernel(const BrgemmShape& shape) : shape_(shape) {}
  virtual ~BrgemmKernel() = default;

  // Throws std::logic_error where the batch is not of the shape's kind, or there are more rows than m.
  void operator()(const BrgemmCall& call) const {
    if (call.batch.kind != shape_.batch_kind || call.rows > shape_.m) refuse(call);
    run(call);
  }
  const BrgemmShape& shape() const { return shape_; }
  virtual std::string_view isa() const = 0;  // what it really runs on: "avx512", "cpx", "portable"

 protected:
  int rows_of(const BrgemmCall& call) const { return call.rows < 0 ? shape_.m : call.rows; }

 private:
  virtual void run(const BrgemmCall&) const = 0;
  [[noreturn]] void refuse(const BrgemmCall&) const;

  BrgemmShape shape_;
};

using BrgemmKernelPtr = std::shared_ptr<const BrgemmKernel>;

// Returns the kernel, or the reason why this backend has none for the shape. Never a silent fallback.
Result<BrgemmKernelPtr> make_brgemm(const BrgemmShape&, const BrgemmHints&, Backend, Isa = Isa::best);

// Whether lda < k is possible, or lda < m where A is transposed; LIBXSMM refuses it.
constexpr bool takes_overlapping_rows(Backend backend) { return backend != Backend::libxsmm; }

struct BackendInfo {
  Backend backend;
  std::string version;        // of the library behind it, for result rows
  std::vector<Isa> isas;      // those this build and this machine both have (simd only)
  std::string absent_reason;  // empty where make_brgemm() can be asked
};
std::vector<BackendInfo> brgemm_backends();
BackendInfo brgemm_backend(Backend);

}  // namespace brickwork
