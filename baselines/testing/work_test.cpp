// Counts a baseline's calls of its library in one run: the operation's work once, on every thread, and nothing more.
//
// The linker redirects the libraries' entry points to this file (--wrap in CMakeLists.txt), which counts the calls. So
// these are the same baselines that are measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "baselines/batch_norm_baselines.hpp"
#include "baselines/brgemm_baselines.hpp"
#include "baselines/contender/checker.hpp"
#include "baselines/conv_baselines.hpp"
#include "baselines/fc_baselines.hpp"
#include "baselines/pool_baselines.hpp"
#include "baselines/rnn_baselines.hpp"
#ifdef BRICKWORK_HAS_LIBXSMM
#include <libxsmm.h>
#endif
#ifdef BRICKWORK_HAS_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif
#ifdef BRICKWORK_HAS_OPENBLAS
#include <cblas.h>
#endif

namespace brickwork {
namespace {

class Calls {
 public:
  // A call of `flop` operations (0 if its arguments do not say) that starts `threads` threads.
  void add(double flop, int threads) {
    const std::lock_guard lock(mutex_);
    ++count_;
    flop_ += flop;
    widest_ = std::max(widest_, threads);
    callers_.insert(std::this_thread::get_id());
  }
  void add_region() { ++regions_; }

  int count() const { return count_; }
  double flop() const { return flop_; }
  int regions() const { return regions_; }
  int threads() const { return std::max(widest_, static_cast<int>(callers_.size())); }

 private:
  std::mutex mutex_;
  int count_ = 0, widest_ = 0, regions_ = 0;
  double flop_ = 0;
  std::set<std::thread::id> callers_;
};

Calls* calls = nullptr;  // counter of the current run; null outside of a run

[[maybe_unused]] void count(double flop, int threads) {
  if (calls != nullptr) calls->add(flop, threads);
}

template <class... Sizes>
[[maybe_unused]] double gemm_flop(Sizes... sizes) {
  return 2.0 * (static_cast<double>(sizes) * ...);
}

#ifdef BRICKWORK_HAS_LIBXSMM
// Generated kernels are called by pointer: a baseline gets a function that counts and then calls the kernel.
struct GeneratedGemm {
  libxsmm_smmfunction call = nullptr;
  double flop = 0;
};
std::array<GeneratedGemm, 2> generated;
std::size_t generated_size = 0;

template <std::size_t i>
void counted_gemm(const float* a, const float* b, float* c, ...) {
  count(generated[i].flop, 1);
  generated[i].call(a, b, c);
}
#endif

}  // namespace
}  // namespace brickwork

extern "C" {

#ifndef __clang__  // Clang calls another runtime
void __real_GOMP_parallel(void (*)(void*), void*, unsigned, unsigned);
void __wrap_GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
  if (brickwork::calls != nullptr) brickwork::calls->add_region();
  __real_GOMP_parallel(body, data, threads, flags);
}
#endif

#ifdef BRICKWORK_HAS_ONEDNN
decltype(dnnl_primitive_execute) __real_dnnl_primitive_execute;
dnnl_status_t __wrap_dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int size,
                                            const dnnl_exec_arg_t* arguments) {
  brickwork::count(0, omp_get_max_threads());
  return __real_dnnl_primitive_execute(primitive, stream, size, arguments);
}
#endif

#ifdef BRICKWORK_HAS_OPENBLAS
decltype(cblas_sgemm) __real_cblas_sgemm;
void __wrap_cblas_sgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, blasint m, blasint n,
                        blasint k, float alpha, const float* a, blasint lda, const float* b, blasint ldb, float beta,
                        float* c, blasint ldc) {
  brickwork::count(brickwork::gemm_flop(m, n, k), openblas_get_num_threads());
  __real_cblas_sgemm(order, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
#endif

#ifdef BRICKWORK_HAS_LIBXSMM
decltype(libxsmm_dnn_execute_st) __real_libxsmm_dnn_execute_st;
libxsmm_dnn_err_t __wrap_libxsmm_dnn_execute_st(libxsmm_dnn_layer* layer, libxsmm_dnn_compute_kind kind, int first,
                                                int thread) {
  brickwork::count(0, 1);
  return __real_libxsmm_dnn_execute_st(layer, kind, first, thread);
}

decltype(libxsmm_dnn_fullyconnected_execute_st) __real_libxsmm_dnn_fullyconnected_execute_st;
libxsmm_dnn_err_t __wrap_libxsmm_dnn_fullyconnected_execute_st(libxsmm_dnn_fullyconnected* layer,
                                                               libxsmm_dnn_compute_kind kind, int first, int thread) {
  brickwork::count(0, 1);
  return __real_libxsmm_dnn_fullyconnected_execute_st(layer, kind, first, thread);
}

decltype(libxsmm_dnn_rnncell_execute_st) __real_libxsmm_dnn_rnncell_execute_st;
libxsmm_dnn_err_t __wrap_libxsmm_dnn_rnncell_execute_st(libxsmm_dnn_rnncell* layer, libxsmm_dnn_compute_kind kind,
                                                        int first, int thread) {
  brickwork::count(0, 1);
  return __real_libxsmm_dnn_rnncell_execute_st(layer, kind, first, thread);
}

decltype(libxsmm_smmdispatch) __real_libxsmm_smmdispatch;
libxsmm_smmfunction __wrap_libxsmm_smmdispatch(libxsmm_blasint m, libxsmm_blasint n, libxsmm_blasint k,
                                               const libxsmm_blasint* lda, const libxsmm_blasint* ldb,
                                               const libxsmm_blasint* ldc, const float* alpha, const float* beta,
                                               const int* flags, const int* prefetch) {
  using namespace brickwork;
  const std::size_t i = generated_size++;
  generated.at(i) = {__real_libxsmm_smmdispatch(m, n, k, lda, ldb, ldc, alpha, beta, flags, prefetch),
                     gemm_flop(m, n, k)};
  return i == 0 ? counted_gemm<0> : counted_gemm<1>;
}
#endif

}  // extern "C"

namespace brickwork {
namespace {

// Packs and runs; `counted` counts the calls of the run. If `spoilt`, the plain inputs are poisoned before the run.
template <Operation Op>
Verdict packed_and_run(const Contender<Op>& contender, const char* text, int threads, Calls& counted, bool spoilt) {
  const auto p = parse_problem<typename Op::Problem>(text);
  TestData data = make_checkable_test_data<Op>(p, Fill::integers);
  omp_set_num_threads(threads);
#ifdef BRICKWORK_HAS_LIBXSMM
  generated_size = 0;
#endif
  const auto prepared = prepare(contender, p, data.inputs, {threads});
  if (!prepared) return {prepared.status(), prepared.reason()};
  (*prepared)->pack();
  if (spoilt) poison(data.inputs);
  calls = &counted;
  (*prepared)->run();
  calls = nullptr;
  PlainTensors output(Op::outputs(p));
  (*prepared)->unpack(output);
  return compare(output, data.expected, data.tolerance);
}

constexpr const char* kConv = "N4 C64 K64 H14 R3 ph1";
constexpr const char* kFc = "N128 C64 K192";
constexpr const char* kBrick = "m28 n64 k64 batch16";

struct Expected {
  int calls;
  double flop;  // 0: the library's calls do not say it
  int regions;  // parallel regions that the baseline opens itself
  int threads;
};

template <Operation Op>
void expect_calls(const Contender<Op>& contender, const char* text, const Expected& expected) {
  if (!contender.library.absent.empty()) return;
  Calls counted;
  const Verdict verdict = packed_and_run(contender, text, expected.threads, counted, false);
  EXPECT_EQ(verdict.status, Status::ok) << contender.name << ": " << verdict.reason;
  EXPECT_EQ(counted.count(), expected.calls) << contender.name;
  EXPECT_EQ(counted.flop(), expected.flop) << contender.name;
  EXPECT_EQ(counted.threads(), expected.threads) << contender.name;
#ifndef __clang__
  EXPECT_EQ(counted.regions(), expected.regions) << contender.name;
#endif
}

TEST(BaselineWork, ARunComputesTheConvolutionOnce) {
  const auto p = parse_problem<ConvProblem>(kConv);
  const double flop = ConvForwardOp::flops(p);
  for (const int threads : {1, 2}) {
    expect_calls(onednn_conv(), kConv, {1, 0, 0, threads});
    expect_calls(libxsmm_dnn_conv(), kConv, {threads, 0, 1, threads});
    expect_calls(im2col_conv(), kConv, {4, flop, 4, threads});
    expect_calls(small_gemm_conv(), kConv, {4 * 14 * 9, flop, 1, threads});
  }
}

TEST(BaselineWork, ARunComputesConvolutionBackwardByDataOnce) {
  const double flop = ConvBackwardDataOp::flops(parse_problem<ConvProblem>(kConv));
  for (const int threads : {1, 2}) {
    expect_calls(onednn_conv_backward_data(), kConv, {1, 0, 0, threads});
    expect_calls(libxsmm_dnn_conv_backward_data(), kConv, {threads, 0, 1, threads});
    expect_calls(col2im_conv_backward_data(), kConv, {4, flop, 4, threads});
  }
}

TEST(BaselineWork, ARunComputesTheWeightUpdateOnce) {
  const double flop = ConvWeightUpdateOp::flops(parse_problem<ConvProblem>(kConv));
  for (const int threads : {1, 2}) {
    expect_calls(onednn_conv_weight_update(), kConv, {1, 0, 0, threads});
    expect_calls(libxsmm_dnn_conv_weight_update(), kConv, {threads, 0, 1, threads});
    expect_calls(im2col_conv_weight_update(), kConv, {4, flop, 4, threads});
  }
}

TEST(BaselineWork, ARunComputesAFullyConnectedPassOnce) {
  const double flop = FcForwardOp::flops(parse_problem<FcProblem>(kFc));
  for (const int threads : {1, 2}) {
    expect_calls(onednn_fc_forward(), kFc, {1, 0, 0, threads});
    expect_calls(onednn_fc_backward_data(), kFc, {1, 0, 0, threads});
    expect_calls(onednn_fc_weight_update(), kFc, {1, 0, 0, threads});
    expect_calls(libxsmm_dnn_fc_forward(), kFc, {threads, 0, 1, threads});
    expect_calls(libxsmm_dnn_fc_backward_data(), kFc, {threads, 0, 1, threads});
    expect_calls(libxsmm_dnn_fc_weight_update(), kFc, {threads, 0, 1, threads});
    expect_calls(openblas_fc_forward(), kFc, {1, flop, 0, threads});
    expect_calls(openblas_fc_backward_data(), kFc, {1, flop, 0, threads});
    expect_calls(openblas_fc_weight_update(), kFc, {1, flop, 0, threads});
  }
}

// OpenBLAS's weight update computes the gates' gradients.
TEST(BaselineWork, ARunComputesARecurrentPassOnce) {
  constexpr const char* kRnn = "T3 N4 C32 K64";
  const double flop = RnnForwardOp::flops(parse_problem<RnnProblem>(kRnn));
  for (const int threads : {1, 2}) {
    expect_calls(onednn_rnn_inference(), kRnn, {1, 0, 0, threads});
    expect_calls(onednn_rnn_forward(), kRnn, {1, 0, 0, threads});
    expect_calls(onednn_rnn_backward(), kRnn, {1, 0, 0, threads});
    expect_calls(libxsmm_dnn_rnn_inference(), kRnn, {threads, 0, 1, threads});
    expect_calls(libxsmm_dnn_rnn_forward(), kRnn, {threads, 0, 1, threads});
    expect_calls(libxsmm_dnn_rnn_backward(), kRnn, {threads, 0, 1, threads});
    expect_calls(libxsmm_dnn_rnn_backward_data(), kRnn, {threads, 0, 1, threads});
    expect_calls(libxsmm_dnn_rnn_weight_update(), kRnn, {threads, 0, 1, threads});
    expect_calls(openblas_rnn_inference(), kRnn, {1 + 3, flop, 3, threads});
    expect_calls(openblas_rnn_forward(), kRnn, {1 + 3, flop, 3, threads});
    expect_calls(openblas_rnn_backward(), kRnn, {3 + 1 + 2, 2 * flop, 3 + 1, threads});
    expect_calls(openblas_rnn_backward_data(), kRnn, {3 + 1, flop, 3, threads});
    expect_calls(openblas_rnn_weight_update(), kRnn, {2, flop, 1, threads});
  }
}

// For a backward pass, forward runs while the contender packs.
TEST(BaselineWork, ARunComputesANormalisationOrPoolingPassOnce) {
  constexpr const char *kNorm = "N4 C64 H14 relu", *kPool = "N4 C64 H14 R3 sh2 ph1";
  for (const int threads : {1, 2}) {
    expect_calls(onednn_batch_norm(), kNorm, {1, 0, 0, threads});
    expect_calls(onednn_batch_norm_inference(), kNorm, {1, 0, 0, threads});
    expect_calls(onednn_batch_norm_backward(), kNorm, {1, 0, 0, threads});
    expect_calls(onednn_pool(), kPool, {1, 0, 0, threads});
    expect_calls(onednn_pool_backward(), kPool, {1, 0, 0, threads});
  }
}

TEST(BaselineWork, ARunComputesTheBatchOnce) {
  const auto p = parse_problem<BrgemmProblem>(kBrick);
  const double flop = BrgemmOp::flops(p);
  for (const int threads : {1, 2}) expect_calls(onednn_batched_matmul(), kBrick, {2, 0, 0, threads});
  expect_calls(libxsmm_small_gemm(), kBrick, {16, flop, 0, 1});
  expect_calls(openblas_small_gemm(), kBrick, {16, flop, 0, 1});
}

// A baseline with a layout of its own packs in pack(), which is timed separately, and not in every run.
template <Operation Op>
void expect_own_layout(const Contender<Op>& contender, const char* text) {
  if (!contender.library.absent.empty()) return;
  Calls counted;
  const Verdict verdict = packed_and_run(contender, text, 1, counted, true);
  EXPECT_EQ(verdict.status, Status::ok) << contender.name << ": " << verdict.reason;
}

TEST(BaselineWork, ARunPacksNothing) {
  expect_own_layout(onednn_conv(), kConv);
  expect_own_layout(libxsmm_dnn_conv(), kConv);
  expect_own_layout(small_gemm_conv(), kConv);
  expect_own_layout(onednn_conv_backward_data(), kConv);
  expect_own_layout(libxsmm_dnn_conv_backward_data(), kConv);
  expect_own_layout(onednn_conv_weight_update(), kConv);
  expect_own_layout(libxsmm_dnn_conv_weight_update(), kConv);
  expect_own_layout(libxsmm_dnn_fc_forward(), kFc);
  expect_own_layout(libxsmm_dnn_fc_backward_data(), kFc);
  expect_own_layout(libxsmm_dnn_fc_weight_update(), kFc);
  expect_own_layout(onednn_batched_matmul(), kBrick);
  expect_own_layout(libxsmm_small_gemm(), kBrick);
  expect_own_layout(openblas_small_gemm(), kBrick);
}

}  // namespace
}  // namespace brickwork
