// The brick by LIBXSMM's JIT. LIBXSMM is column-major, so it sees C^T = B^T A^T: its A is our B, its m our n.
#include <fmt/format.h>

#include "brgemm_backends.hpp"

#ifdef BRICKWORK_HAS_LIBXSMM
#include <libxsmm.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#endif

namespace brickwork {

#ifdef BRICKWORK_HAS_LIBXSMM
namespace {

static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));

// LIBXSMM's batch loop tests at its end: it would read a member even of an empty batch.
void empty_batch(const BrgemmShape& shape, float* c) {
  if (shape.beta == 1) return;
  for (int i = 0; i < shape.m; ++i) std::fill_n(c + i * shape.ldc, shape.n, 0.0f);
}

// C = beta * C + ...; null where LIBXSMM generates no such kernel.
libxsmm_smmfunction_reducebatch_offs dispatch_offsets(const BrgemmShape& shape, float beta) {
  const libxsmm_blasint lda = static_cast<libxsmm_blasint>(shape.ldb), ldb = static_cast<libxsmm_blasint>(shape.lda),
                        ldc = static_cast<libxsmm_blasint>(shape.ldc);
  const float alpha = 1.0f;
  const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  return libxsmm_smmdispatch_reducebatch_offs(shape.n, shape.m, shape.k, &lda, &ldb, &ldc, &alpha, &beta, &flags,
                                              &prefetch);
}

libxsmm_smmfunction_reducebatch_strd dispatch_strides(const BrgemmShape& shape) {
  const libxsmm_blasint lda = static_cast<libxsmm_blasint>(shape.ldb), ldb = static_cast<libxsmm_blasint>(shape.lda),
                        ldc = static_cast<libxsmm_blasint>(shape.ldc);
  const float alpha = 1.0f, beta = static_cast<float>(shape.beta);
  const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  return libxsmm_smmdispatch_reducebatch_strd(
      shape.n, shape.m, shape.k, static_cast<libxsmm_blasint>(shape.stride_b * sizeof(float)),
      static_cast<libxsmm_blasint>(shape.stride_a * sizeof(float)), &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch);
}

class LibxsmmKernel : public BrgemmKernel {
 public:
  explicit LibxsmmKernel(const BrgemmShape& shape) : shape_(shape) {}
  std::string_view isa() const override { return libxsmm_get_target_arch(); }

 protected:
  BrgemmShape shape_;
};

class LibxsmmStrides final : public LibxsmmKernel {
 public:
  LibxsmmStrides(const BrgemmShape& shape, libxsmm_smmfunction_reducebatch_strd kernel)
      : LibxsmmKernel(shape), kernel_(kernel) {}

  using BrgemmKernel::operator();
  void operator()(const float* a, const float* b, float* c, std::int64_t batch) const override {
    if (batch == 0) return empty_batch(shape_, c);
    const auto count = static_cast<unsigned long long>(batch);
    kernel_(b, a, c, &count);
  }

 private:
  libxsmm_smmfunction_reducebatch_strd kernel_;
};

class LibxsmmOffsets final : public LibxsmmKernel {
 public:
  LibxsmmOffsets(const BrgemmShape& shape, libxsmm_smmfunction_reducebatch_offs kernel)
      : LibxsmmKernel(shape), kernel_(kernel) {}

  using BrgemmKernel::operator();
  void operator()(const float* a, const float* b, float* c, std::int64_t batch, const std::uint64_t* offsets_a,
                  const std::uint64_t* offsets_b) const override {
    if (batch == 0) return empty_batch(shape_, c);
    const auto count = static_cast<unsigned long long>(batch);
    kernel_(b, a, c, &count, reinterpret_cast<const unsigned long long*>(offsets_b),
            reinterpret_cast<const unsigned long long*>(offsets_a));
  }

 private:
  libxsmm_smmfunction_reducebatch_offs kernel_;
};

// LIBXSMM's own address kernels advance the caller's pointer arrays. So pointers become offsets, a chunk of the batch
// at a time on the stack; chunks after the first add to C.
class LibxsmmPointers final : public LibxsmmKernel {
 public:
  LibxsmmPointers(const BrgemmShape& shape, libxsmm_smmfunction_reducebatch_offs first,
                  libxsmm_smmfunction_reducebatch_offs next)
      : LibxsmmKernel(shape), first_(first), next_(next) {}

  using BrgemmKernel::operator();
  void operator()(const float* const* a, const float* const* b, float* c, std::int64_t batch) const override {
    if (batch == 0) return empty_batch(shape_, c);
    std::array<unsigned long long, chunk> offsets_a, offsets_b;
    for (std::int64_t start = 0; start < batch; start += chunk) {
      const std::int64_t size = std::min(chunk, batch - start);
      for (std::int64_t i = 0; i < size; ++i) {
        offsets_a[i] = address(a[start + i]) - address(a[0]);  // modulo 2^64: members below a[0] are right, too
        offsets_b[i] = address(b[start + i]) - address(b[0]);
      }
      const auto count = static_cast<unsigned long long>(size);
      (start == 0 ? first_ : next_)(b[0], a[0], c, &count, offsets_b.data(), offsets_a.data());
    }
  }

 private:
  static constexpr std::int64_t chunk = 256;
  static std::uintptr_t address(const float* p) { return reinterpret_cast<std::uintptr_t>(p); }

  libxsmm_smmfunction_reducebatch_offs first_, next_;
};

// Why LIBXSMM cannot be asked for the shape, or nothing. It would refuse the first with a line on stderr and truncate
// or crash on the others.
std::string limit_reason(const BrgemmShape& s) {
  constexpr std::int64_t largest = std::numeric_limits<libxsmm_blasint>::max();
  constexpr std::int64_t largest_stride = largest / static_cast<std::int64_t>(sizeof(float));
  if (s.lda < s.k) return fmt::format("LIBXSMM takes no overlapping rows of A: lda must be at least k = {}", s.k);
  if (std::max({s.lda, s.ldb, s.ldc}) > largest)
    return fmt::format("LIBXSMM takes leading dimensions up to {}", largest);
  if (s.batch_kind == BatchKind::strides &&
      (std::min(s.stride_a, s.stride_b) < 0 || std::max(s.stride_a, s.stride_b) > largest_stride))
    return fmt::format("LIBXSMM takes batch strides from 0 to {}", largest_stride);
  return {};
}

BrgemmKernelPtr dispatch(const BrgemmShape& shape) {
  if (shape.batch_kind == BatchKind::strides) {
    const auto kernel = dispatch_strides(shape);
    return kernel ? std::make_shared<LibxsmmStrides>(shape, kernel) : nullptr;
  }
  const auto first = dispatch_offsets(shape, static_cast<float>(shape.beta));
  if (!first) return nullptr;
  if (shape.batch_kind == BatchKind::offsets) return std::make_shared<LibxsmmOffsets>(shape, first);
  const auto next = dispatch_offsets(shape, 1.0f);
  return next ? std::make_shared<LibxsmmPointers>(shape, first, next) : nullptr;
}

}  // namespace

Result<BrgemmKernelPtr> make_libxsmm_brgemm(const BrgemmShape& shape, Isa isa) {
  const auto unsupported = [&](const std::string& reason) {
    return Result<BrgemmKernelPtr>::unsupported(fmt::format("libxsmm {}: {}", to_string(shape), reason));
  };
  if (isa != Isa::best) return unsupported("the libxsmm backend takes its ISA from LIBXSMM_TARGET");
  if (std::string reason = limit_reason(shape); !reason.empty()) return unsupported(reason);
  if (BrgemmKernelPtr kernel = dispatch(shape)) return kernel;
  return unsupported(fmt::format("LIBXSMM {} generates no such kernel for its target '{}'", LIBXSMM_VERSION,
                                 libxsmm_get_target_arch()));
}

BackendInfo libxsmm_info() {
  BackendInfo info{.backend = Backend::libxsmm, .version = LIBXSMM_VERSION, .isas = {}, .unavailable_reason = {}};
  if (libxsmm_get_target_archid() <= LIBXSMM_X86_GENERIC)
    info.unavailable_reason = fmt::format("LIBXSMM generates no code for its target '{}'", libxsmm_get_target_arch());
  return info;
}

#else
namespace {
constexpr const char* not_built =
    "this build has no LIBXSMM: install LIBXSMM 1.17 (Debian: libxsmm-dev) and configure again";
}

Result<BrgemmKernelPtr> make_libxsmm_brgemm(const BrgemmShape&, Isa) {
  return Result<BrgemmKernelPtr>::unsupported(not_built);
}

BackendInfo libxsmm_info() {
  return {.backend = Backend::libxsmm, .version = {}, .isas = {}, .unavailable_reason = not_built};
}
#endif

}  // namespace brickwork
