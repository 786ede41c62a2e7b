// The table of backends: refusals and their words, and the names of things.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/brgemm/brgemm.hpp"
#include "kernels/testing/brgemm_check.hpp"

namespace brickwork {
namespace {

constexpr BrgemmShape kGood{.m = 4, .n = 4, .k = 4, .lda = 4, .ldb = 4, .ldc = 4};

// The reason why make_brgemm refuses the shape after `spoil`; all backends give the same.
template <class Spoil>
std::string reason_of(Spoil&& spoil) {
  BrgemmShape shape = kGood;
  BrgemmHints hints;
  spoil(shape, hints);
  std::string reason;
  for (const BackendInfo& info : brgemm_backends()) {
    const auto kernel = make_brgemm(shape, hints, info.backend);
    EXPECT_FALSE(kernel) << to_string(shape) << " on " << to_string(info.backend);
    EXPECT_EQ(kernel.status(), Status::unsupported);
    reason = kernel.reason();
  }
  return reason;
}

TEST(BrgemmBackends, RefuseWrongShapes) {
  using S = BrgemmShape;
  using H = BrgemmHints;
  const auto says = [](auto&& spoil, const char* words) {
    const std::string reason = reason_of(spoil);
    EXPECT_NE(reason.find(words), std::string::npos) << "'" << reason << "' does not say " << words;
  };
  says([](S& s, H&) { s.m = 0; }, "m, n and k must be at least 1, but are 0, 4 and 4");
  says([](S& s, H&) { s.n = -3; }, "at least 1");
  says([](S& s, H&) { s.k = 0; }, "at least 1");
  says([](S& s, H&) { s.lda = 0; }, "lda must be at least 1");
  says([](S& s, H&) { s.a_transposed = true, s.lda = 0; }, "lda must be at least 1");
  says([](S& s, H&) { s.a_transposed = true, s.lda = -4; }, "lda must be at least 1, but is -4");
  says([](S& s, H&) { s.a_transposed = true, s.ldb = 3; }, "ldb must be at least n = 4, but is 3");
  says([](S& s, H&) { s.ldb = 3; }, "ldb must be at least n = 4, but is 3");
  says([](S& s, H&) { s.ldc = 3; }, "ldc must be at least n = 4, but is 3");
  says([](S& s, H&) { s.beta = 2; }, "beta must be 0 or 1, but is 2");
  says([](S& s, H&) { s.batch_kind = BatchKind::offsets, s.stride_a = 16; }, "stride_a and stride_b belong to");
  says([](S& s, H&) { s.batch_kind = BatchKind{7}; }, "batch_kind");
  says([](S& s, H&) { s.ab = DType::f64; }, "computes in f32 only, but A and B are f64 and C is f32");
  says([](S& s, H&) { s.c = DType::f64; }, "computes in f32 only, but A and B are f32 and C is f64");
  says([](S&, H& h) { h.zero_rows.period = -1; }, "the period of zero rows must be at least 0, but is -1");
  says([](S&, H& h) { h.tuning.ahead = -1; }, "from 0 to 1024 rows of B ahead, but asks for -1");
  says([](S&, H& h) { h.tuning.ahead = 1025; }, "but asks for 1025");
  says([](S&, H& h) { h.tuning.few = 1025; }, "but asks for 1025");
}

TEST(BrgemmBackends, TextNamesAllDifferences) {
  EXPECT_EQ(to_string(kGood), "m4_n4_k4_lda4_ldb4_ldc4_beta0_strides_sa0_sb0");
  BrgemmShape f64 = kGood;
  f64.batch_kind = BatchKind::offsets;
  f64.ab = f64.c = DType::f64;
  EXPECT_EQ(to_string(f64), "m4_n4_k4_lda4_ldb4_ldc4_beta0_offsets_abf64_cf64");
  f64.a_transposed = true;
  EXPECT_EQ(to_string(f64), "m4_n4_k4_lda4_ldb4_ldc4_beta0_offsets_atransposed_abf64_cf64");
  EXPECT_EQ(to_string(BrgemmHints{}), "");
  EXPECT_EQ(to_string(BrgemmHints{.c = CAccess::stream}), "streamc");
  EXPECT_EQ(to_string(BrgemmHints{.c = CAccess::prefetch}), "prefetchc");
  EXPECT_EQ(to_string(BrgemmHints{.c = CAccess::stream, .zero_rows = {3, 2, 1, 29}}),
            "streamc_zerorows3_step2_live1to29");
  EXPECT_EQ(to_string(BrgemmHints{.zero_rows = {3, 1, 1, 29}}), "zerorows3_step1_live1to29");
}

TEST(BrgemmBackends, StatusHasTheWordsOfAResultRow) {
  EXPECT_EQ(to_string(Status::ok), "ok");
  EXPECT_EQ(to_string(Status::unsupported), "unsupported");
  EXPECT_EQ(to_string(Status::absent), "absent");
  EXPECT_EQ(to_string(Status::misfit), "misfit");
  EXPECT_EQ(to_string(Status::failed), "failed");
}

// Generated code and LIBXSMM step from row to row by one distance.
TEST(BrgemmBackends, OnlyThePortableBackendTakesImagePixels) {
  BrgemmShape shape = padded_shape(4, 4, 4, 0, 0, BatchKind::strides);
  shape.pixels_of_a = {.cols = 2, .rows = 1, .image = 64};
  EXPECT_TRUE(make_brgemm(shape, {}, Backend::portable));
  const auto refused = make_brgemm(shape, {}, Backend::simd);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.status(), Status::unsupported);
  EXPECT_THAT(refused.reason(), testing::HasSubstr("the simd backend takes no image pixels as rows of A or C"));
  EXPECT_THAT(to_string(shape), testing::HasSubstr("_arows1x2by0by64"));
}

TEST(BrgemmBackends, NamesAreParsedAndUnknownOnesRefused) {
  for (Backend backend : {Backend::libxsmm, Backend::simd, Backend::portable})
    EXPECT_EQ(parse_backend(to_string(backend)), backend);
  for (Isa isa : {Isa::best, Isa::avx2, Isa::avx512, Isa::neon}) EXPECT_EQ(parse_isa(to_string(isa)), isa);
  try {
    parse_backend("mkl");
    FAIL() << "'mkl' was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "unknown backend 'mkl': choose one of libxsmm, simd, portable");
  }
  EXPECT_THROW(parse_isa("avx"), std::invalid_argument);
  EXPECT_THROW(parse_backend(""), std::invalid_argument);
}

TEST(BrgemmBackends, EachIsListedOnceAndMakesAKernelOrGivesAReason) {
  const auto infos = brgemm_backends();
  ASSERT_EQ(infos.size(), 3u);
  for (const BackendInfo& info : infos)
    for (Isa isa : {Isa::best, Isa::avx2, Isa::avx512, Isa::neon}) {
      const auto kernel = make_brgemm(kGood, {}, info.backend, isa);
      const bool expected =
          info.absent_reason.empty() && (isa == Isa::best || std::ranges::find(info.isas, isa) != info.isas.end());
      EXPECT_EQ(static_cast<bool>(kernel), expected) << to_string(info.backend) << " on " << to_string(isa);
      EXPECT_EQ(kernel.reason().empty(), expected);
      EXPECT_EQ(kernel.status() == Status::ok, expected);
    }
}

TEST(BrgemmBackends, BestIsTheFirstListedIsa) {
  const BackendInfo info = brgemm_backend(Backend::simd);
  if (!info.absent_reason.empty()) GTEST_SKIP() << info.absent_reason;
  EXPECT_EQ((*make_brgemm(kGood, {}, Backend::simd, Isa::best))->isa(), to_string(info.isas.front()));
}

TEST(BrgemmBackends, LibxsmmTakesItsIsaFromItsOwnVariable) {
  const BackendInfo info = brgemm_backend(Backend::libxsmm);
  if (!info.absent_reason.empty()) GTEST_SKIP() << info.absent_reason;
  const auto kernel = make_brgemm(kGood, {}, Backend::libxsmm, Isa::avx2);
  EXPECT_NE(kernel.reason().find("LIBXSMM_TARGET"), std::string::npos) << kernel.reason();
}

}  // namespace
}  // namespace brickwork
