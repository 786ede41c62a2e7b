// The checker must fail: one kernel for each way to be wrong.
#include "brgemm_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace brickwork {
namespace {

constexpr int m = 9, n = 20, k = 7;

// What a wrong kernel may use: the right one, and the call's arguments.
struct Call {
  const float* a;
  const float* b;
  float* c;
  std::int64_t batch;
  const std::uint64_t* offsets_a;
  const std::uint64_t* offsets_b;
};
using WrongCall = std::function<void(const BrgemmKernel& right, const Call&)>;

class WrongKernel final : public BrgemmKernel {
 public:
  WrongKernel(const BrgemmShape& shape, WrongCall call)
      : right_(*make_brgemm(shape, Backend::portable)), call_(std::move(call)) {}
  using BrgemmKernel::operator();
  void operator()(const float* a, const float* b, float* c, std::int64_t batch, const std::uint64_t* offsets_a,
                  const std::uint64_t* offsets_b) const override {
    call_(*right_, {a, b, c, batch, offsets_a, offsets_b});
  }
  std::string_view isa() const override { return "wrong"; }

 private:
  BrgemmKernelPtr right_;
  WrongCall call_;
};

void right(const BrgemmKernel& kernel, const Call& x) { kernel(x.a, x.b, x.c, x.batch, x.offsets_a, x.offsets_b); }

struct Settings {
  int beta = 0;
  std::int64_t pad = 0, batch = 3;
  bool guard_after = true;
};

std::string check(const WrongCall& call, Settings with = {}) {
  const BrgemmShape shape = padded_shape(m, n, k, with.pad, with.beta, BatchKind::offsets);
  return check_brgemm(WrongKernel(shape, call), {shape, with.batch, with.guard_after});
}

const std::string outside = "it touched memory outside A, B and C";

TEST(BrgemmCheck, PassesTheRightKernel) {
  for (int beta : {0, 1})
    for (std::int64_t pad : {0, 3})
      for (bool guard_after : {false, true}) EXPECT_EQ(check(right, {beta, pad, 3, guard_after}), "");
}

TEST(BrgemmCheck, SeesZeros) {
  EXPECT_NE(check([](auto&, const Call& x) { std::fill_n(x.c, m * n, 0.0f); }), "");
}

TEST(BrgemmCheck, SeesUntouchedOutput) {
  for (int beta : {0, 1}) EXPECT_NE(check([](auto&, const Call&) {}, {.beta = beta}), "");
}

TEST(BrgemmCheck, SeesAnEmptyBatchThatLeavesCUntouched) {
  EXPECT_NE(check([](auto&, const Call&) {}, {.beta = 0, .batch = 0}), "");
}

TEST(BrgemmCheck, SeesATileOffByOneColumn) {
  EXPECT_NE(check([](auto& kernel, const Call& x) {
              right(kernel, x);
              std::rotate(x.c, x.c + 1, x.c + m * n);
            }),
            "");
}

TEST(BrgemmCheck, SeesAMissingMember) {
  EXPECT_NE(check([](auto& kernel, Call x) {
              --x.batch;
              right(kernel, x);
            }),
            "");
}

TEST(BrgemmCheck, SeesBetaOneInPlaceOfZeroAndTheReverse) {
  for (int beta : {0, 1}) {
    const auto other = *make_brgemm(padded_shape(m, n, k, 0, 1 - beta, BatchKind::offsets), Backend::portable);
    EXPECT_NE(check([&](auto&, const Call& x) { right(*other, x); }, {.beta = beta}), "") << "beta " << beta;
  }
}

TEST(BrgemmCheck, SeesOneWrongElementAnywhere) {
  for (int i = 0; i < m * n; ++i)
    EXPECT_NE(check([&](auto& kernel, const Call& x) {
                right(kernel, x);
                x.c[i] += 1;
              }),
              "");
}

TEST(BrgemmCheck, SeesNaN) {
  EXPECT_NE(check([](auto& kernel, const Call& x) {
              right(kernel, x);
              x.c[m * n - 1] = std::numeric_limits<float>::quiet_NaN();
            }),
            "");
}

TEST(BrgemmCheck, SeesAWriteBeyondC) {
  const auto write_beyond = [](auto& kernel, const Call& x) {
    right(kernel, x);
    const_cast<volatile float*>(x.c)[m * n] = 0;
  };
  EXPECT_EQ(check(write_beyond), outside);
  EXPECT_EQ(check(write_beyond, {.guard_after = false}), "it wrote outside its tile of C");
}

TEST(BrgemmCheck, SeesAWriteBeforeC) {
  const auto write_before = [](auto& kernel, const Call& x) {
    right(kernel, x);
    const_cast<volatile float*>(x.c)[-1] = 0;
  };
  EXPECT_EQ(check(write_before), "it wrote outside its tile of C");
  EXPECT_EQ(check(write_before, {.guard_after = false}), outside);
}

TEST(BrgemmCheck, SeesAWriteBetweenTheRowsOfC) {
  EXPECT_EQ(check(
                [](auto& kernel, const Call& x) {
                  right(kernel, x);
                  x.c[n] = 0;
                },
                {.pad = 1}),
            "it wrote outside its tile of C");
}

// Offsets are such that member 0 of A is the last in memory, and member 0 of B the second.
TEST(BrgemmCheck, SeesAReadBeyondAOrB) {
  EXPECT_EQ(check([](auto& kernel, const Call& x) {
              right(kernel, x);
              (void)const_cast<const volatile float*>(x.a + x.offsets_a[0] / sizeof(float))[m * k];
            }),
            outside);
  EXPECT_EQ(check([](auto& kernel, const Call& x) {
              right(kernel, x);
              (void)const_cast<const volatile float*>(x.b)[2 * (k * n + 5) + k * n];
            }),
            outside);
}

TEST(BrgemmCheck, SeesAReadBeforeA) {
  EXPECT_EQ(check(
                [](auto& kernel, const Call& x) {
                  right(kernel, x);
                  (void)const_cast<const volatile float*>(x.a)[-1];
                },
                {.guard_after = false}),
            outside);
}

TEST(BrgemmCheck, SeesModifiedInputs) {
  EXPECT_EQ(check([](auto& kernel, const Call& x) {
              right(kernel, x);
              const_cast<float*>(x.a)[0] += 1;
            }),
            "it modified A");
  EXPECT_EQ(check([](auto& kernel, const Call& x) {
              right(kernel, x);
              const_cast<float*>(x.b)[0] += 1;
            }),
            "it modified B");
}

TEST(BrgemmCheck, SeesAModifiedOffsetArray) {
  EXPECT_EQ(check([](auto& kernel, const Call& x) {
              right(kernel, x);
              const_cast<std::uint64_t*>(x.offsets_b)[0] += 4;
            }),
            "it modified an offset array");
}

// What LIBXSMM's address kernels do.
TEST(BrgemmCheck, SeesAModifiedPointerArray) {
  class Advancing final : public BrgemmKernel {
   public:
    explicit Advancing(const BrgemmShape& shape) : right_(*make_brgemm(shape, Backend::portable)) {}
    using BrgemmKernel::operator();
    void operator()(const float* const* a, const float* const* b, float* c, std::int64_t batch) const override {
      (*right_)(a, b, c, batch);
      ++const_cast<const float**>(a)[batch - 1];
    }
    std::string_view isa() const override { return "wrong"; }

   private:
    BrgemmKernelPtr right_;
  };
  const BrgemmShape shape = padded_shape(m, n, k, 0, 0, BatchKind::pointers);
  EXPECT_EQ(check_brgemm(Advancing(shape), {shape, 3}), "it modified a pointer array");
}

}  // namespace
}  // namespace brickwork
