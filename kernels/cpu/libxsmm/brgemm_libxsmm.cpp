// The brick by LIBXSMM's JIT. LIBXSMM is column-major and sees C^T = B^T A^T: its A is our B, its m is our n.
#include <fmt/format.h>

#include "kernels/brgemm/brgemm_backends.hpp"

#ifdef BRICKWORK_HAS_LIBXSMM
#include <libxsmm.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "kernels/cpu/libxsmm/libxsmm_target.hpp"
#endif

namespace brickwork {

#ifdef BRICKWORK_HAS_LIBXSMM
namespace {

static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));

using StridesFunction = libxsmm_smmfunction_reducebatch_strd;
using OffsetsFunction = libxsmm_smmfunction_reducebatch_offs;

struct DispatchArguments {
  explicit DispatchArguments(const BrgemmShape& shape)
      : lda(static_cast<libxsmm_blasint>(shape.ldb)),
        ldb(static_cast<libxsmm_blasint>(shape.lda)),
        ldc(static_cast<libxsmm_blasint>(shape.ldc)),
        beta(static_cast<float>(shape.beta)),
        flags(shape.a_transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE) {}

  libxsmm_blasint lda, ldb, ldc;
  float alpha = 1.0f, beta;
  int flags, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
};

// Null if LIBXSMM generates no such kernel.
void dispatch(const BrgemmShape& shape, int rows, OffsetsFunction& kernel) {
  const DispatchArguments x(shape);
  kernel = libxsmm_smmdispatch_reducebatch_offs(shape.n, rows, shape.k, &x.lda, &x.ldb, &x.ldc, &x.alpha, &x.beta,
                                                &x.flags, &x.prefetch);
}

void dispatch(const BrgemmShape& shape, int rows, StridesFunction& kernel) {
  const DispatchArguments x(shape);
  kernel = libxsmm_smmdispatch_reducebatch_strd(shape.n, rows, shape.k,
                                                static_cast<libxsmm_blasint>(shape.stride_b * sizeof(float)),
                                                static_cast<libxsmm_blasint>(shape.stride_a * sizeof(float)), &x.lda,
                                                &x.ldb, &x.ldc, &x.alpha, &x.beta, &x.flags, &x.prefetch);
}

// A LIBXSMM kernel has its number of rows built in: there is one kernel per number of rows, generated when first
// needed.
template <class Function>
class KernelsByRows {
 public:
  explicit KernelsByRows(const BrgemmShape& shape)
      : shape_(shape), kernels_(std::make_unique<std::atomic<Function>[]>(static_cast<std::size_t>(shape.m))) {}

  Function find(int rows) const {
    std::atomic<Function>& kept = kernels_[rows - 1];
    Function kernel = kept.load(std::memory_order_acquire);
    if (!kernel) {
      dispatch(shape_, rows, kernel);  // two threads that do this at once get the same kernel
      kept.store(kernel, std::memory_order_release);
    }
    return kernel;
  }
  Function operator()(int rows) const {
    if (const Function kernel = find(rows)) return kernel;
    throw std::runtime_error(fmt::format("LIBXSMM {} generates brgemm {} for {} rows, but not for {}", LIBXSMM_VERSION,
                                         to_string(shape_), shape_.m, rows));
  }

 private:
  BrgemmShape shape_;
  std::unique_ptr<std::atomic<Function>[]> kernels_;
};

class LibxsmmKernel : public BrgemmKernel {
 public:
  using BrgemmKernel::BrgemmKernel;
  std::string_view isa() const override { return libxsmm_get_target_arch(); }

 private:
  void run(const BrgemmCall& call) const final {
    const int rows = rows_of(call);
    if (rows == 0) return;
    // LIBXSMM tests the batch size at the end of its loop: it would read a member even of an empty batch.
    if (call.batch.size != 0) {
      multiply(call, rows);
    } else if (shape().beta == 0) {
      for (int i = 0; i < rows; ++i) std::fill_n(static_cast<float*>(call.c) + i * shape().ldc, shape().n, 0.0f);
    }
    if (call.epilogue.any()) apply_epilogue(static_cast<float*>(call.c), rows, shape().n, shape().ldc, call.epilogue);
  }
  virtual void multiply(const BrgemmCall&, int rows) const = 0;
};

class LibxsmmStrides final : public LibxsmmKernel {
 public:
  LibxsmmStrides(const BrgemmShape& shape, KernelsByRows<StridesFunction> kernels)
      : LibxsmmKernel(shape), kernels_(std::move(kernels)) {}

 private:
  void multiply(const BrgemmCall& call, int rows) const override {
    const auto count = static_cast<unsigned long long>(call.batch.size);
    kernels_(rows)(call.batch.b<float>(0), call.batch.a<float>(0), static_cast<float*>(call.c), &count);
  }

  KernelsByRows<StridesFunction> kernels_;
};

class LibxsmmOffsets final : public LibxsmmKernel {
 public:
  LibxsmmOffsets(const BrgemmShape& shape, KernelsByRows<OffsetsFunction> kernels)
      : LibxsmmKernel(shape), kernels_(std::move(kernels)) {}

 private:
  void multiply(const BrgemmCall& call, int rows) const override {
    const Batch& batch = call.batch;
    const auto count = static_cast<unsigned long long>(batch.size);
    kernels_(rows)(reinterpret_cast<const float*>(batch.base_b), reinterpret_cast<const float*>(batch.base_a),
                   static_cast<float*>(call.c), &count, reinterpret_cast<const unsigned long long*>(batch.offsets_b),
                   reinterpret_cast<const unsigned long long*>(batch.offsets_a));
  }

  KernelsByRows<OffsetsFunction> kernels_;
};

// Why LIBXSMM cannot take the shape; empty if it can. LIBXSMM itself would refuse overlapping rows with a line on
// stderr, and truncate or crash in the other cases.
std::string limit_reason(const BrgemmShape& s) {
  constexpr std::int64_t largest = std::numeric_limits<libxsmm_blasint>::max();
  constexpr std::int64_t largest_stride = largest / static_cast<std::int64_t>(sizeof(float));
  if (!s.a_transposed && s.lda < s.k)
    return fmt::format("LIBXSMM takes no overlapping rows of A: lda must be at least k = {}", s.k);
  if (s.a_transposed && s.lda < s.m)
    return fmt::format("LIBXSMM takes no overlapping rows of a transposed A: lda must be at least m = {}", s.m);
  if (std::max({s.lda, s.ldb, s.ldc}) > largest)
    return fmt::format("LIBXSMM takes leading dimensions up to {}", largest);
  if (s.batch_kind == BatchKind::strides &&
      (std::min(s.stride_a, s.stride_b) < 0 || std::max(s.stride_a, s.stride_b) > largest_stride))
    return fmt::format("LIBXSMM takes batch strides from 0 to {}", largest_stride);
  return {};
}

BrgemmKernelPtr make_kernel(const BrgemmShape& shape) {
  if (shape.batch_kind == BatchKind::strides) {
    KernelsByRows<StridesFunction> kernels(shape);
    return kernels.find(shape.m) ? std::make_shared<LibxsmmStrides>(shape, std::move(kernels)) : nullptr;
  }
  KernelsByRows<OffsetsFunction> kernels(shape);
  return kernels.find(shape.m) ? std::make_shared<LibxsmmOffsets>(shape, std::move(kernels)) : nullptr;
}

}  // namespace

Result<BrgemmKernelPtr> make_libxsmm_brgemm(const BrgemmShape& shape, const BrgemmHints&, Isa isa) {
  const auto unsupported = [&](const std::string& reason) {
    return Result<BrgemmKernelPtr>::unsupported(fmt::format("libxsmm {}: {}", to_string(shape), reason));
  };
  if (isa != Isa::best) return unsupported("the libxsmm backend takes its ISA from LIBXSMM_TARGET");
  if (const auto why = libxsmm::unsupported_target()) return unsupported(*why);
  if (std::string reason = limit_reason(shape); !reason.empty()) return unsupported(reason);
  if (BrgemmKernelPtr kernel = make_kernel(shape)) return kernel;
  return unsupported(fmt::format("LIBXSMM {} generates no such kernel for its target '{}'", LIBXSMM_VERSION,
                                 libxsmm_get_target_arch()));
}

BackendInfo libxsmm_info() {
  return {.backend = Backend::libxsmm, .version = LIBXSMM_VERSION, .isas = {}, .absent_reason = {}};
}

#else
namespace {
constexpr const char* not_built =
    "this build has no LIBXSMM: install LIBXSMM 1.17 (Debian: libxsmm-dev) and configure again";
}

Result<BrgemmKernelPtr> make_libxsmm_brgemm(const BrgemmShape&, const BrgemmHints&, Isa) {
  return Result<BrgemmKernelPtr>::absent(not_built);
}

BackendInfo libxsmm_info() {
  return {.backend = Backend::libxsmm, .version = {}, .isas = {}, .absent_reason = not_built};
}
#endif

}  // namespace brickwork
