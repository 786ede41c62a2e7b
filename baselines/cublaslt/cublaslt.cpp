#include "baselines/cublaslt/cublaslt.hpp"

#ifdef BRICKWORK_HAS_CUBLASLT
#include <fmt/format.h>

#include <array>
#include <memory>
#include <span>
#include <stdexcept>

#include "baselines/cuda/cuda_fastest.hpp"
#include "baselines/cuda/shared_library.hpp"
#include "kernels/gpu/cuda/cuda_absent.hpp"

namespace brickwork::cublaslt {
namespace {

const SharedLibrary& library() {
  static const SharedLibrary library(fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR).c_str());
  return library;
}

#define BRICKWORK_CUBLASLT(name) (*library().function<decltype(name)>(#name))

std::string version_text(std::size_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

void require(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(fmt::format("{}: {}", what, BRICKWORK_CUBLASLT(cublasLtGetStatusString)(status)));
}

cublasLtHandle_t new_handle() {
  cublasLtHandle_t handle = nullptr;
  require(BRICKWORK_CUBLASLT(cublasLtCreate)(&handle), "cublasLtCreate");
  return handle;
}

cublasLtHandle_t handle() {
  static const cublasLtHandle_t handle = new_handle();
  return handle;
}

struct Destroy {
  void operator()(cublasLtMatmulDesc_t desc) const { BRICKWORK_CUBLASLT(cublasLtMatmulDescDestroy)(desc); }
  void operator()(cublasLtMatrixLayout_t layout) const { BRICKWORK_CUBLASLT(cublasLtMatrixLayoutDestroy)(layout); }
  void operator()(cublasLtMatmulPreference_t p) const { BRICKWORK_CUBLASLT(cublasLtMatmulPreferenceDestroy)(p); }
};
using Desc = std::unique_ptr<cublasLtMatmulDescOpaque_t, Destroy>;
using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, Destroy>;
using Preference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, Destroy>;

// A plain tensor [columns][rows], which column-major cuBLAS takes for a matrix of rows x columns.
Layout layout(std::int64_t rows, std::int64_t columns, cudaDataType_t type) {
  cublasLtMatrixLayout_t made = nullptr;
  require(BRICKWORK_CUBLASLT(cublasLtMatrixLayoutCreate)(&made, type, static_cast<std::uint64_t>(rows),
                                                         static_cast<std::uint64_t>(columns), rows),
          "cublasLtMatrixLayoutCreate");
  return Layout(made);
}

template <class Value>
void set(const Desc& desc, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
  require(BRICKWORK_CUBLASLT(cublasLtMatmulDescSetAttribute)(desc.get(), attribute, &value, sizeof(value)),
          "cublasLtMatmulDescSetAttribute");
}

struct Matmul {
  Desc desc;
  Layout a, b, d;
  const void *a_data, *b_data, *c_data;
  void* d_data;
  float beta;
};

std::string name_of(const cublasLtMatmulAlgo_t& algorithm) {
  const auto get = [&](cublasLtMatmulAlgoConfigAttributes_t attribute) {
    int value = -1;
    std::size_t written = 0;
    BRICKWORK_CUBLASLT(cublasLtMatmulAlgoConfigGetAttribute)(&algorithm, attribute, &value, sizeof(value), &written);
    return value;
  };
  return fmt::format("algorithm {} tile {} stages {} split {}", get(CUBLASLT_ALGO_CONFIG_ID),
                     get(CUBLASLT_ALGO_CONFIG_TILE_ID), get(CUBLASLT_ALGO_CONFIG_STAGES_ID),
                     get(CUBLASLT_ALGO_CONFIG_SPLITK_NUM));
}

std::vector<cuda::Way> proposed(const std::shared_ptr<const Matmul>& matmul) {
  constexpr int kMost = 64;
  cublasLtMatmulPreference_t made = nullptr;
  require(BRICKWORK_CUBLASLT(cublasLtMatmulPreferenceCreate)(&made), "cublasLtMatmulPreferenceCreate");
  const Preference preference(made);
  const std::uint64_t workspace = cuda::most_workspace();
  require(BRICKWORK_CUBLASLT(cublasLtMatmulPreferenceSetAttribute)(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                                   &workspace, sizeof(workspace)),
          "cublasLtMatmulPreferenceSetAttribute");
  std::array<cublasLtMatmulHeuristicResult_t, kMost> results{};
  int count = 0;
  const cublasStatus_t status = BRICKWORK_CUBLASLT(cublasLtMatmulAlgoGetHeuristic)(
      handle(), matmul->desc.get(), matmul->a.get(), matmul->b.get(), matmul->d.get(), matmul->d.get(), made, kMost,
      results.data(), &count);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return {};
  require(status, "cublasLtMatmulAlgoGetHeuristic");
  std::vector<cuda::Way> ways;
  for (const auto& result : std::span(results).first(static_cast<std::size_t>(count))) {
    if (result.state != CUBLAS_STATUS_SUCCESS) continue;
    ways.push_back(
        {.name = name_of(result.algo), .workspace_bytes = result.workspaceSize, .run = [matmul, result](void* at) {
           const float one = 1;
           const Matmul& m = *matmul;
           require(BRICKWORK_CUBLASLT(cublasLtMatmul)(handle(), m.desc.get(), &one, m.a_data, m.a.get(), m.b_data,
                                                      m.b.get(), &m.beta, m.c_data, m.d.get(), m.d_data, m.d.get(),
                                                      &result.algo, at, result.workspaceSize, cuda::queue().stream()),
                   "cublasLtMatmul");
         }});
  }
  return ways;
}

cuda::Operands operands(const Product& product, Precision precision) {
  const cudaDataType_t type = precision == Precision::bf16 ? CUDA_R_16BF : CUDA_R_32F;
  const cublasComputeType_t compute = precision == Precision::f32    ? CUBLAS_COMPUTE_32F_PEDANTIC
                                      : precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                     : CUBLAS_COMPUTE_32F;
  cuda::Operands all;
  const auto add = [&](auto& to, const char* name, std::int64_t columns, std::int64_t rows) {
    return cuda::add(to, cuda::Tensor(name, std::vector{columns, rows}, dtype_of(precision)));
  };
  const auto [a_rows, a_columns] =
      product.transpose_a ? std::pair(product.k, product.m) : std::pair(product.m, product.k);
  const auto [b_rows, b_columns] =
      product.transpose_b ? std::pair(product.n, product.k) : std::pair(product.k, product.n);
  auto matmul = std::make_shared<Matmul>();
  matmul->a = layout(a_rows, a_columns, type);
  matmul->b = layout(b_rows, b_columns, type);
  matmul->d = layout(product.m, product.n, type);
  matmul->a_data = add(all.sources, product.a, a_columns, a_rows);
  matmul->b_data = add(all.sources, product.b, b_columns, b_rows);
  matmul->d_data = add(all.results, product.d, product.n, product.m);
  matmul->c_data = product.addend ? add(all.sources, product.addend, product.n, product.m) : matmul->d_data;
  matmul->beta = product.addend ? 1 : 0;

  cublasLtMatmulDesc_t desc = nullptr;
  require(BRICKWORK_CUBLASLT(cublasLtMatmulDescCreate)(&desc, compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
  matmul->desc.reset(desc);
  set(matmul->desc, CUBLASLT_MATMUL_DESC_TRANSA, product.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(matmul->desc, CUBLASLT_MATMUL_DESC_TRANSB, product.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(matmul->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, product.epilogue);
  if (product.bias) {
    const void* const bias =
        add(product.bias_is_result ? all.results : all.sources, product.bias, product.bias_size, 1);
    set(matmul->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  }
  all.ways = proposed(matmul);
  return all;
}

}  // namespace

std::string absent() {
  if (std::string why = cuda_absent(); !why.empty()) return why;
  if (!library().missing().empty()) {
    return fmt::format("cuBLASLt {} cannot be loaded: {}", CUBLAS_VER_MAJOR, library().missing());
  }
  if (const std::size_t loaded = BRICKWORK_CUBLASLT(cublasLtGetVersion)(); loaded < CUBLAS_VERSION) {
    return fmt::format("the loaded cuBLASLt {} is older than the cuBLASLt {} of this build's headers",
                       version_text(loaded), version_text(CUBLAS_VERSION));
  }
  return "";
}

std::string version() { return absent().empty() ? version_text(BRICKWORK_CUBLASLT(cublasLtGetVersion)()) : ""; }

PreparedPtr prepare(const Product& product, Precision precision, const PlainTensors& inputs) {
  return cuda::fastest({[&] { return operands(product, precision); }}, inputs);
}

}  // namespace brickwork::cublaslt

#else

namespace brickwork::cublaslt {
std::string absent() {
  return "built without cuBLASLt: install CUDA's toolkit where CMake finds it, and configure again";
}
std::string version() { return ""; }
}  // namespace brickwork::cublaslt

#endif
