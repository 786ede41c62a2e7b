// libxsmm_dnn_convolution of LIBXSMM 1.17: the paper authors' own primitive, in its fast mode (physical padding).
#include "conv_baselines.hpp"
#ifdef BRICKWORK_HAS_LIBXSMM
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>

#include "blocked_conv_tensors.hpp"
#include "libxsmm_target.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kPointerArrayLength = 1024;  // of A_ptrs and B_ptrs in the library, which it does not check

void check(libxsmm_dnn_err_t status, const char* call) {
  if (status != LIBXSMM_DNN_SUCCESS) {
    throw std::runtime_error(fmt::format("{} failed: {}", call, libxsmm_dnn_get_error(status)));
  }
}

// The block that the library gives a feature dimension: all of it where it is small, else its largest power of two
// that divides it.
std::int64_t feature_block(std::int64_t features) {
  const std::int64_t most = libxsmm_get_target_archid() >= LIBXSMM_X86_AVX512_CORE ? 64 : 32;
  if (features < most) return features;
  std::int64_t block = most;
  while (features % block != 0) block /= 2;
  return block;
}

bool is_1x1(const ConvProblem& p) { return p.R == 1 && p.S == 1; }

// At most so many blocks does one batch-reduce call of the library reduce.
std::int64_t longest_batch(const ConvProblem& p) {
  return is_1x1(p) ? p.C / feature_block(p.C) : (p.Q() <= 7 ? 2 : 1) * p.R * p.S;
}

libxsmm_dnn_conv_desc describe(const ConvProblem& p, int threads) {
  libxsmm_dnn_conv_desc d{};
  d.N = static_cast<int>(p.N);
  d.C = static_cast<int>(p.C);
  d.K = static_cast<int>(p.K);
  d.H = static_cast<int>(p.H);
  d.W = static_cast<int>(p.W);
  d.R = static_cast<int>(p.R);
  d.S = static_cast<int>(p.S);
  d.u = static_cast<int>(p.stride_h);
  d.v = static_cast<int>(p.stride_w);
  d.pad_h = d.pad_h_in = static_cast<int>(p.pad_h);
  d.pad_w = d.pad_w_in = static_cast<int>(p.pad_w);
  d.threads = threads;
  d.datatype_in = d.datatype_out = LIBXSMM_DNN_DATATYPE_F32;
  d.buffer_format = d.filter_format = LIBXSMM_DNN_TENSOR_FORMAT_LIBXSMM;
  d.algo = LIBXSMM_DNN_CONV_ALGO_DIRECT;
  d.options = LIBXSMM_DNN_CONV_OPTION_OVERWRITE;
  d.fuse_ops = LIBXSMM_DNN_CONV_FUSE_NONE;
  return d;
}

struct LayerFree {
  void operator()(libxsmm_dnn_layer* layer) const { libxsmm_dnn_destroy_conv_layer(layer); }
};
struct TensorFree {
  void operator()(libxsmm_dnn_tensor* tensor) const { libxsmm_dnn_destroy_tensor(tensor); }
};
struct LayoutFree {
  void operator()(libxsmm_dnn_tensor_datalayout* layout) const { libxsmm_dnn_destroy_tensor_datalayout(layout); }
};
using Layer = std::unique_ptr<libxsmm_dnn_layer, LayerFree>;
using Tensor = std::unique_ptr<libxsmm_dnn_tensor, TensorFree>;
using Layout = std::unique_ptr<libxsmm_dnn_tensor_datalayout, LayoutFree>;

Layer create_layer(const ConvProblem& p, int threads) {
  libxsmm_dnn_err_t status = LIBXSMM_DNN_SUCCESS;
  Layer layer(libxsmm_dnn_create_conv_layer(describe(p, threads), &status));
  check(status, "libxsmm_dnn_create_conv_layer");
  return layer;
}

class PreparedLibxsmmDnnConv final : public Prepared {
 public:
  PreparedLibxsmmDnnConv(const ConvProblem& p, const PlainTensors& in, int threads)
      : in_(in),
        threads_(threads),
        tensors_(p, feature_block(p.C), feature_block(p.K), threads),
        layer_(create_layer(p, threads)),
        fallback_(p.N % threads != 0) {
    const auto& b = tensors_;
    src_ = bind(LIBXSMM_DNN_REGULAR_INPUT, tensors_.src.data(), {b.bc, b.Wp, b.Hp, b.Cb, p.N});
    weights_ = bind(LIBXSMM_DNN_REGULAR_FILTER, tensors_.weights.data(), {b.bk, b.bc, p.S, p.R, b.Cb, b.Kb});
    dst_ = bind(LIBXSMM_DNN_REGULAR_OUTPUT, tensors_.dst.data(), {b.bk, p.Q(), p.P(), b.Kb, p.N});
    bind_scratch(p);
  }

  void pack() override { tensors_.pack(in_); }

  void run() override {
    libxsmm_dnn_err_t status = LIBXSMM_DNN_SUCCESS;
#pragma omp parallel num_threads(threads_) reduction(max : status)
    status = libxsmm_dnn_execute_st(layer_.get(), LIBXSMM_DNN_COMPUTE_KIND_FWD, 0, omp_get_thread_num());
    check(status, "libxsmm_dnn_execute_st");
  }

  void unpack(PlainTensors& out) override { tensors_.unpack(out); }

  std::string implementation() const override { return fallback_ ? "direct, fallback loops" : "direct"; }
  std::string isa() const override { return libxsmm_get_target_arch(); }

 private:
  // dims: what we packed, fastest first; it must be what the library expects.
  Tensor bind(libxsmm_dnn_tensor_type type, float* data, std::initializer_list<std::int64_t> dims) {
    libxsmm_dnn_err_t status = LIBXSMM_DNN_SUCCESS;
    const Layout layout(libxsmm_dnn_create_tensor_datalayout(layer_.get(), type, &status));
    check(status, "libxsmm_dnn_create_tensor_datalayout");
    if (!std::equal(dims.begin(), dims.end(), layout->dim_size, layout->dim_size + layout->num_dims)) {
      throw std::runtime_error("LIBXSMM chose another blocking than this baseline packs");
    }
    Tensor tensor(libxsmm_dnn_link_tensor(layout.get(), data, &status));
    check(status, "libxsmm_dnn_link_tensor");
    check(libxsmm_dnn_bind_tensor(layer_.get(), tensor.get(), type), "libxsmm_dnn_bind_tensor");
    return tensor;
  }

  void bind_scratch(const ConvProblem& p) {
    libxsmm_dnn_err_t status = LIBXSMM_DNN_SUCCESS;
    const std::size_t bytes = libxsmm_dnn_get_scratch_size(layer_.get(), LIBXSMM_DNN_COMPUTE_KIND_FWD, &status);
    check(status, "libxsmm_dnn_get_scratch_size");
    // Where it drops the stride of the input, the library needs N*C*P*Q elements and counts N*C*(H/2)*(W/2), which
    // is fewer for an odd H or W.
    const std::size_t strideless = static_cast<std::size_t>(p.N * p.C * p.P() * p.Q());
    scratch_ = AlignedBuffer<float>(std::max(bytes / sizeof(float) + 1, strideless));
    check(libxsmm_dnn_bind_scratch(layer_.get(), LIBXSMM_DNN_COMPUTE_KIND_FWD, scratch_.data()),
          "libxsmm_dnn_bind_scratch");
  }

  const PlainTensors& in_;
  int threads_;
  BlockedConvTensors tensors_;
  AlignedBuffer<float> scratch_;
  Layer layer_;
  Tensor src_, weights_, dst_;
  bool fallback_;
};

std::optional<std::string> unsupported(const ConvProblem& p) {
  if (const auto why = libxsmm::unsupported_target()) return why;
  if (p.epilogue.any()) return "LIBXSMM 1.17 fuses nothing into its convolution: the epilogue must be none";
  for (const std::int64_t size : {p.N, p.C, p.K, p.H, p.W, p.R, p.S, p.stride_h, p.stride_w, p.pad_h, p.pad_w}) {
    if (size > std::numeric_limits<int>::max()) return "LIBXSMM 1.17 takes sizes below 2^31 only";
  }
  if (longest_batch(p) > kPointerArrayLength) {
    return fmt::format("LIBXSMM 1.17 holds {} pointers a call and this problem may need {}", kPointerArrayLength,
                       longest_batch(p));
  }
  if (p.R == 3 && p.S == 3 && p.stride_h == 1 && p.stride_w == 1 && p.pad_h == 1 && p.pad_w == 1 && p.H == 1 &&
      p.W == 1) {
    return "LIBXSMM 1.17 crashes on a padded 3x3 convolution of a single pixel: it skips the rim with a GEMM of 0 "
           "columns";
  }
  return std::nullopt;
}

}  // namespace

Contender<ConvForwardOp> libxsmm_dnn_conv() {
  return {.name = "libxsmm-dnn",
          .library = {"LIBXSMM", LIBXSMM_CONFIG_VERSION},
          .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = unsupported(p)) return Result<PreparedPtr>::unsupported(*why);
            return {std::make_unique<PreparedLibxsmmDnnConv>(p, in, r.threads)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvForwardOp> brickwork::libxsmm_dnn_conv() {
  return absent_library<ConvForwardOp>("libxsmm-dnn", "LIBXSMM");
}

#endif
