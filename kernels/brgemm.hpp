// The brick: batch-reduce GEMM, the one kernel every primitive is built from.
//
//   C[m][n] = beta * C[m][n] + sum over i < batch, k < K of A_i[m][k] * B_i[k][n]
//
// All matrices are row-major f32 and beta is 0 or 1. m = pixels or minibatch rows, n = output features (the vector
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

#include "result.hpp"

namespace brickwork {

enum class Backend {
  libxsmm,   // LIBXSMM's JIT, x86-64 only
  simd,      // ours, Google Highway with run-time dispatch
  portable,  // plain loops; also callable in device code (brgemm_portable.hpp); the oracle of the other two
};

// The instruction set of the simd backend. `best` is what the machine offers; a name asks for that one and is
// refused with a reason where the machine (or this build) lacks it.
enum class Isa { best, avx2, avx512, neon };

// How a call names the members of the batch.
enum class BatchKind {
  strides,   // A_i = a + i * stride_a, B_i = b + i * stride_b; strides in elements, fixed in the shape
  offsets,   // A_i = a + offsets_a[i] BYTES, B_i likewise: bytes because both JITs take them so, without a copy
  pointers,  // A_i = a[i], B_i = b[i]
};

// Where a convolution's filter stands over padding: the members of a batch come in rounds of `taps`, row r of a round's
// t-th member lies at column r * stride + t of the padded image, and there only columns begin .. end - 1 are not zeros.
struct ImageColumns {
  int taps = 0;  // 0: nothing is known
  std::int64_t stride = 1, begin = 0, end = 0;

  constexpr bool has(int row, int tap) const {
    const std::int64_t column = row * stride + tap;
    return begin <= column && column < end;
  }
  friend bool operator==(const ImageColumns&, const ImageColumns&) = default;
};

// Units: elements. Assumptions:
//   m, n, k >= 1; ldb >= n; ldc >= n.
//   lda >= 1 and may be smaller than k: rows of A may overlap. (A convolution merges its S filter taps into k this way:
//   row q starts at pixel q * stride_w and is S * bc long.)
//   A_i and B_i are never written, nor are the offset and pointer arrays. Nothing outside the m x n tile of C is
//   written, nothing outside A_i and B_i is read. C overlaps neither. No pointer needs more alignment than a float.
struct BrgemmShape {
  int m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  int beta = 0;
  BatchKind batch_kind = BatchKind::strides;
  std::int64_t stride_a = 0, stride_b = 0;  // BatchKind::strides only

  // A hint: the next call will read its A_i this many elements further on (0: unknown). A backend may prefetch there;
  // nothing is assumed about that memory.
  std::int64_t next_a = 0;
  // A hint: C will not be read again soon. A backend may store it past the caches, where beta is 0 and C's rows are
  // aligned to its vectors; that spares reading C's lines only to overwrite them.
  bool stream_c = false;
  // A hint: rows of A_i outside the image are zeros. A backend may leave out their work.
  ImageColumns image;

  friend bool operator==(const BrgemmShape&, const BrgemmShape&) = default;
};

std::string to_string(const BrgemmShape&);
std::string_view to_string(Backend);
std::string_view to_string(Isa);
std::string_view to_string(BatchKind);
Backend parse_backend(std::string_view);  // throws std::invalid_argument naming the backends there are
Isa parse_isa(std::string_view);          // likewise

// One kernel for one shape. Thread-safe, stateless; made once, called millions of times.
// batch >= 0; a batch of 0 leaves beta * C.
class BrgemmKernel {
 public:
  virtual ~BrgemmKernel() = default;

  // Only the call that belongs to the shape's batch_kind may be used; the other two throw std::logic_error.
  virtual void operator()(const float* a, const float* b, float* c, std::int64_t batch) const;
  virtual void operator()(const float* a, const float* b, float* c, std::int64_t batch, const std::uint64_t* offsets_a,
                          const std::uint64_t* offsets_b) const;
  virtual void operator()(const float* const* a, const float* const* b, float* c, std::int64_t batch) const;

  virtual std::string_view isa() const = 0;  // what it really runs on: "avx512", "cpx", "portable"
};

using BrgemmKernelPtr = std::shared_ptr<const BrgemmKernel>;

// Returns the kernel, or the reason why this backend has none for the shape. Never a silent fallback.
Result<BrgemmKernelPtr> make_brgemm(const BrgemmShape&, Backend, Isa = Isa::best);

// Whether lda < k is possible; LIBXSMM refuses it.
constexpr bool takes_overlapping_rows(Backend backend) { return backend != Backend::libxsmm; }

struct BackendInfo {
  Backend backend;
  std::string version;             // of the library behind it, for result rows
  std::vector<Isa> isas;           // those this build and this machine both have (simd only)
  std::string unavailable_reason;  // empty when the backend can be used
};
std::vector<BackendInfo> brgemm_backends();

}  // namespace brickwork
