#include "brgemm.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <stdexcept>

#include "brgemm_backends.hpp"
#include "brgemm_check.hpp"

namespace brickwork {
namespace {

// Around every vector width, 4, 8 and 16, and every register block.
constexpr int m_edges[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 24, 27, 28, 29, 30, 31, 49, 64, 70};
constexpr int n_edges[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  15, 16, 17, 18,
                           31, 32, 33, 34, 47, 48, 49, 50, 63, 64, 65, 66, 70};
constexpr int k_edges[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 21, 23, 24, 31, 33, 63, 64, 65, 70};
constexpr BatchKind batch_kinds[] = {BatchKind::strides, BatchKind::offsets, BatchKind::pointers};

struct Target {
  Backend backend;
  Isa isa;
};

void PrintTo(const Target& target, std::ostream* out) {
  *out << to_string(target.backend) << " on " << to_string(target.isa);
}

std::string target_name(const testing::TestParamInfo<Target>& info) {
  return std::string(to_string(info.param.backend)) + "_" + std::string(to_string(info.param.isa));
}

// One backend on one ISA; a test of what this build or machine lacks is skipped with the reason.
class Brgemm : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    const auto infos = brgemm_backends();
    const auto info = std::ranges::find(infos, GetParam().backend, &BackendInfo::backend);
    ASSERT_NE(info, infos.end());
    if (!info->unavailable_reason.empty()) GTEST_SKIP() << info->unavailable_reason;
    if (GetParam().isa != Isa::best && std::ranges::find(info->isas, GetParam().isa) == info->isas.end())
      GTEST_SKIP() << "this build or machine lacks " << to_string(GetParam().isa);
  }

  Result<BrgemmKernelPtr> make(const BrgemmShape& shape) const {
    return make_brgemm(shape, GetParam().backend, GetParam().isa);
  }

  // Stops at the first case that fails, as its successors would mostly fail alike.
  bool passes(const BrgemmCase& test) const {
    const auto kernel = make(test.shape);
    EXPECT_TRUE(kernel) << kernel.reason();
    if (!kernel) return false;
    const std::string wrong = check_brgemm(**kernel, test);
    EXPECT_EQ(wrong, "") << to_string(test);
    return wrong.empty();
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, Brgemm,
                         testing::Values(Target{Backend::libxsmm, Isa::best}, Target{Backend::simd, Isa::best},
                                         Target{Backend::simd, Isa::avx2}, Target{Backend::simd, Isa::avx512},
                                         Target{Backend::simd, Isa::neon}, Target{Backend::portable, Isa::best}),
                         target_name);

// What a sweep cannot cross with everything else, it draws: the same numbers in every run.
class Draw {
 public:
  int operator()(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }

 private:
  std::mt19937 engine_;
};

// Every m x n with every batch kind and both beta.
TEST_P(Brgemm, EveryTileOfC) {
  Draw draw;
  for (int m = 1; m <= 70; ++m)
    for (int n = 1; n <= 70; ++n)
      for (BatchKind kind : batch_kinds)
        for (int beta : {0, 1}) {
          const int k = k_edges[draw(std::size(k_edges))];
          if (!passes({padded_shape(m, n, k, draw(3), beta, kind), 1 + draw(4), draw(2) == 0})) return;
        }
}

// Every edge in all three directions at once.
TEST_P(Brgemm, EveryDepth) {
  Draw draw;
  for (int k : k_edges)
    for (int m : m_edges)
      for (int n : n_edges) {
        const BrgemmShape shape = padded_shape(m, n, k, draw(3), draw(2), batch_kinds[draw(3)]);
        if (!passes({shape, 2, draw(2) == 0})) return;
      }
}

TEST_P(Brgemm, EveryBatchSize) {
  for (std::int64_t batch : {0, 1, 2, 3, 9, 257, 600})
    for (BatchKind kind : batch_kinds)
      for (int beta : {0, 1})
        for (int pad : {0, 1, 3})
          for (bool guard_after : {false, true})
            if (!passes({padded_shape(5, 19, 6, pad, beta, kind), batch, guard_after})) return;
}

TEST_P(Brgemm, BlocksOfManyRegisterTiles) {
  Draw draw;
  for (int m : {71, 97, 128})
    for (int n : {96, 111, 128, 129, 255, 256})
      for (int k : {64, 129, 256})
        if (!passes({padded_shape(m, n, k, draw(3), draw(2), batch_kinds[draw(3)]), 3, draw(2) == 0})) return;
}

// A convolution's rows of A overlap. A backend may decline that, with a reason that says so.
TEST_P(Brgemm, OverlappingRowsOfA) {
  for (std::int64_t lda : {1, 3, 6, 20})
    for (BatchKind kind : batch_kinds) {
      BrgemmShape shape = padded_shape(14, 34, 21, 1, 0, kind);
      shape.lda = lda;
      if (const auto kernel = make(shape); !kernel && GetParam().backend == Backend::libxsmm) {
        EXPECT_NE(kernel.reason().find("lda"), std::string::npos) << kernel.reason();
        continue;
      }
      if (!passes({shape, 3})) return;
    }
}

TEST_P(Brgemm, LeadingDimensionsAreIndependent) {
  Draw draw;
  for (std::int64_t lda : {16, 17, 256})
    for (std::int64_t ldb : {33, 64, 1000})
      for (std::int64_t ldc : {33, 47, 512}) {
        BrgemmShape shape = padded_shape(13, 33, 16, 0, 1, BatchKind::offsets);
        shape.lda = lda;
        shape.ldb = ldb;
        shape.ldc = ldc;
        if (!passes({shape, 2, draw(2) == 0})) return;
      }
}

// Members may share memory: a stride of 0 repeats one, a small one slides over the rows.
TEST_P(Brgemm, MembersMayOverlap) {
  for (std::int64_t stride : {0, 1, 7, 16}) {
    BrgemmShape shape = padded_shape(12, 48, 16, 0, 1, BatchKind::strides);
    shape.stride_a = stride;
    shape.stride_b = stride;
    if (!passes({shape, 5})) return;
  }
}

// Wherever the hint points, the result is the same and nothing there is touched.
TEST_P(Brgemm, NextAIsOnlyAHint) {
  for (BatchKind kind : batch_kinds)
    for (std::int64_t next : {1LL, 448LL, -64LL, 1LL << 40})
      for (bool guard_after : {false, true}) {
        BrgemmShape shape = padded_shape(14, 34, 21, 1, 0, kind);
        shape.next_a = next;
        if (!passes({shape, 2, guard_after})) return;
      }
}

// Every place of the image's edges in a tile and between tiles, whole rounds of taps and a broken one.
TEST_P(Brgemm, RowsOutsideTheImageMayBeLeftOut) {
  Draw draw;
  for (int m = 1; m <= 30; ++m)
    for (int n : {16, 49, 64, 127})
      for (int taps : {1, 2, 3, 7})
        for (std::int64_t stride : {1, 2})
          for (std::int64_t pad : {0, 1, 3}) {
            BrgemmShape shape = padded_shape(m, n, 5, 0, draw(2), batch_kinds[draw(3)]);
            shape.image = {.taps = taps, .stride = stride, .begin = pad, .end = pad + draw(m * 2 + 1)};
            if (!passes({shape, 1 + draw(2 * taps)})) return;
          }
}

// Aligned or not, whole vectors or a tail, C is right and nothing beside it is written.
TEST_P(Brgemm, StreamCIsOnlyAHint) {
  for (int beta : {0, 1})
    for (int n : {16, 17, 32, 40, 64, 96})
      for (std::int64_t ldc : {64, 96, 97, 112}) {
        if (ldc < n) continue;
        BrgemmShape shape = padded_shape(15, n, 21, 1, beta, BatchKind::offsets);
        shape.ldc = ldc;
        shape.stream_c = true;
        for (bool guard_after : {false, true})
          if (!passes({shape, 3, guard_after})) return;
      }
}

TEST_P(Brgemm, RandomShapes) {
  const bool rows_may_overlap = GetParam().backend != Backend::libxsmm;
  const bool passed = rc::check([&] {
    const auto size = [](int last) { return *rc::gen::inRange(1, last + 1); };
    BrgemmShape shape =
        padded_shape(size(70), size(70), size(70), 0, *rc::gen::element(0, 1),
                     *rc::gen::elementOf(std::vector<BatchKind>{std::begin(batch_kinds), std::end(batch_kinds)}));
    shape.lda = *rc::gen::inRange(rows_may_overlap ? 1 : shape.k, shape.k + 20);
    shape.ldb += *rc::gen::inRange(0, 20);
    shape.ldc += *rc::gen::inRange(0, 20);
    const BrgemmCase test{shape, *rc::gen::inRange(0, 10), *rc::gen::arbitrary<bool>(),
                          *rc::gen::arbitrary<unsigned>()};
    const auto kernel = make(shape);
    if (!kernel) RC_FAIL(kernel.reason());
    if (const std::string wrong = check_brgemm(**kernel, test); !wrong.empty()) RC_FAIL(to_string(test) + ": " + wrong);
  });
  EXPECT_TRUE(passed);
}

TEST_P(Brgemm, RefusesTheCallOfAnotherBatchKind) {
  const auto refused = [](auto&& call) {
    try {
      call();
      return false;
    } catch (const std::logic_error&) {
      return true;
    }
  };
  const float* pointer = nullptr;
  const std::uint64_t offset = 0;
  float c = 0;
  for (BatchKind kind : batch_kinds) {
    const auto made = make(padded_shape(1, 1, 1, 0, 0, kind));
    ASSERT_TRUE(made) << made.reason();
    const BrgemmKernel& kernel = **made;
    EXPECT_EQ(refused([&] { kernel(pointer, pointer, &c, 0); }), kind != BatchKind::strides);
    EXPECT_EQ(refused([&] { kernel(pointer, pointer, &c, 0, &offset, &offset); }), kind != BatchKind::offsets);
    EXPECT_EQ(refused([&] { kernel(&pointer, &pointer, &c, 0); }), kind != BatchKind::pointers);
  }
}

TEST_P(Brgemm, RefusesWrongShapes) {
  const BrgemmShape good = padded_shape(4, 4, 4, 0, 0, BatchKind::offsets);
  const auto refused = [&](auto&& spoil, const std::string& word) {
    BrgemmShape bad = good;
    spoil(bad);
    const auto kernel = make(bad);
    EXPECT_FALSE(kernel) << to_string(bad);
    EXPECT_NE(kernel.reason().find(word), std::string::npos) << "'" << kernel.reason() << "' does not say " << word;
  };
  ASSERT_TRUE(make(good)) << make(good).reason();
  refused([](BrgemmShape& s) { s.m = 0; }, "at least 1");
  refused([](BrgemmShape& s) { s.n = -3; }, "at least 1");
  refused([](BrgemmShape& s) { s.k = 0; }, "at least 1");
  refused([](BrgemmShape& s) { s.lda = 0; }, "lda");
  refused([](BrgemmShape& s) { s.ldb = 3; }, "ldb");
  refused([](BrgemmShape& s) { s.ldc = 3; }, "ldc");
  refused([](BrgemmShape& s) { s.beta = 2; }, "beta");
  refused([](BrgemmShape& s) { s.stride_a = 16; }, "stride_a");
  refused([](BrgemmShape& s) { s.batch_kind = BatchKind{7}; }, "batch_kind");
}

TEST_P(Brgemm, SaysWhatItRunsOn) {
  const auto kernel = make(padded_shape(4, 4, 4, 0, 0, BatchKind::offsets));
  ASSERT_TRUE(kernel) << kernel.reason();
  EXPECT_FALSE((*kernel)->isa().empty());
}

// The CPU decides which of them the other tests run.
TEST(BrgemmSimd, NarrowTilesWithAndWithoutShuffles) {
  Draw draw;
  for (Isa isa : simd_info().isas)
    for (bool shuffle : {false, true})
      for (int m = 1; m <= 70; ++m)
        for (int n : {1, 3, 4, 7, 8, 9, 15, 16})
          for (int k : {1, 3, 4, 5, 8, 23}) {
            const BrgemmCase test{padded_shape(m, n, k, draw(3), draw(2), batch_kinds[draw(3)]), 1 + draw(3),
                                  draw(2) == 0};
            const auto kernel = make_simd_brgemm(test.shape, isa, shuffle);
            ASSERT_TRUE(kernel) << kernel.reason();
            ASSERT_EQ(check_brgemm(**kernel, test), "")
                << to_string(test) << (shuffle ? " with" : " without") << " shuffles";
          }
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

TEST(BrgemmBackends, EachIsListedOnceAndMakesOrDeclinesWithAReason) {
  const auto infos = brgemm_backends();
  ASSERT_EQ(infos.size(), 3u);
  for (const BackendInfo& info : infos)
    for (Isa isa : {Isa::best, Isa::avx2, Isa::avx512, Isa::neon}) {
      const auto kernel = make_brgemm(padded_shape(4, 4, 4, 0, 0, BatchKind::strides), info.backend, isa);
      const bool expected =
          info.unavailable_reason.empty() && (isa == Isa::best || std::ranges::find(info.isas, isa) != info.isas.end());
      EXPECT_EQ(static_cast<bool>(kernel), expected) << to_string(info.backend) << " on " << to_string(isa);
      EXPECT_EQ(kernel.reason().empty(), expected);
    }
}

TEST(BrgemmBackends, LibxsmmLeavesItsIsaToItsOwnVariable) {
  const auto infos = brgemm_backends();
  const auto info = std::ranges::find(infos, Backend::libxsmm, &BackendInfo::backend);
  if (!info->unavailable_reason.empty()) GTEST_SKIP() << info->unavailable_reason;
  const auto kernel = make_brgemm(padded_shape(4, 4, 4, 0, 0, BatchKind::strides), Backend::libxsmm, Isa::avx2);
  EXPECT_NE(kernel.reason().find("LIBXSMM_TARGET"), std::string::npos) << kernel.reason();
}

}  // namespace
}  // namespace brickwork
