// Tests that the checker fails: one kernel for each way to be wrong.
#include "kernels/testing/brgemm_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace brickwork {
namespace {

constexpr int kM = 9, kN = 20, kK = 7;

// The behaviour of a wrong kernel; it can call the right one.
using WrongCall = std::function<void(const BrgemmKernel& right, const BrgemmCall&)>;

BrgemmKernelPtr portable(const BrgemmShape& shape) { return *make_brgemm(shape, {}, Backend::portable); }

class WrongKernel final : public BrgemmKernel {
 public:
  WrongKernel(const BrgemmShape& shape, WrongCall call)
      : BrgemmKernel(shape), right_(portable(shape)), call_(std::move(call)) {}
  std::string_view isa() const override { return "wrong"; }

 private:
  void run(const BrgemmCall& call) const override { call_(*right_, call); }

  BrgemmKernelPtr right_;
  WrongCall call_;
};

void right(const BrgemmKernel& kernel, const BrgemmCall& x) { kernel(x); }
float* c_of(const BrgemmCall& x) { return static_cast<float*>(x.c); }
volatile float* a_of(const BrgemmCall& x) { return reinterpret_cast<volatile float*>(x.batch.base_a); }
volatile float* b_of(const BrgemmCall& x) { return reinterpret_cast<volatile float*>(x.batch.base_b); }

struct Settings {
  int beta = 0;
  std::int64_t pad = 0, batch = 3;
  bool guard_after = true;
  int rows = -1;
  bool bias = false, residual = false;
  LastStep last;
  bool a_transposed = false;
};

std::string check(const WrongCall& call, Settings with = {}, BatchKind kind = BatchKind::offsets) {
  const BrgemmShape shape = padded_shape(kM, kN, kK, with.pad, with.beta, kind, with.a_transposed);
  return check_brgemm(WrongKernel(shape, call), {.shape = shape,
                                                 .batch = with.batch,
                                                 .guard_after = with.guard_after,
                                                 .rows = with.rows,
                                                 .bias = with.bias,
                                                 .residual = with.residual,
                                                 .last = with.last});
}

const std::string kOutside = "it touched memory outside its operands", kBeyondTile = "it wrote outside its tile of C";

TEST(BrgemmCheck, PassesTheRightKernel) {
  for (int beta : {0, 1})
    for (std::int64_t pad : {0, 3})
      for (bool guard_after : {false, true})
        for (int rows : {-1, 0, 1, kM - 1, kM})
          for (const LastStep& last : kLastSteps)
            for (bool a_transposed : {false, true}) {
              const bool epilogue = last.activation != Activation::none;
              EXPECT_EQ(check(right, {beta, pad, 3, guard_after, rows, epilogue, epilogue, last, a_transposed}), "");
            }
}

// If m = k, the wrong elements lie within A, too; otherwise some may lie outside.
TEST(BrgemmCheck, SeesABrickThatIgnoresWhetherAIsTransposed) {
  for (int k : {kM, kK})
    for (bool a_transposed : {false, true}) {
      const BrgemmShape shape = padded_shape(kM, kN, k, 0, 0, BatchKind::offsets, a_transposed);
      BrgemmShape other = shape;
      other.a_transposed = !a_transposed;
      const auto kernel = portable(other);
      const WrongKernel ignoring(shape, [&](auto&, const BrgemmCall& x) { right(*kernel, x); });
      EXPECT_NE(check_brgemm(ignoring, {.shape = shape, .batch = 3}), "") << "k " << k;
    }
}

TEST(BrgemmCheck, SeesZeros) {
  EXPECT_NE(check([](auto&, const BrgemmCall& x) { std::fill_n(c_of(x), kM * kN, 0.0f); }), "");
}

TEST(BrgemmCheck, SeesUntouchedOutput) {
  for (int beta : {0, 1}) EXPECT_NE(check([](auto&, const BrgemmCall&) {}, {.beta = beta}), "");
}

TEST(BrgemmCheck, SeesAnEmptyBatchThatLeavesCUntouched) {
  EXPECT_NE(check([](auto&, const BrgemmCall&) {}, {.beta = 0, .batch = 0}), "");
}

TEST(BrgemmCheck, SeesATileOffByOneColumn) {
  EXPECT_NE(check([](auto& kernel, const BrgemmCall& x) {
              right(kernel, x);
              std::rotate(c_of(x), c_of(x) + 1, c_of(x) + kM * kN);
            }),
            "");
}

TEST(BrgemmCheck, SeesAMissingMember) {
  EXPECT_NE(check([](auto& kernel, BrgemmCall x) {
              --x.batch.size;
              right(kernel, x);
            }),
            "");
}

TEST(BrgemmCheck, SeesBetaOneInPlaceOfZeroAndTheReverse) {
  for (int beta : {0, 1}) {
    const auto other = portable(padded_shape(kM, kN, kK, 0, 1 - beta, BatchKind::offsets));
    EXPECT_NE(check([&](auto&, const BrgemmCall& x) { right(*other, x); }, {.beta = beta}), "") << "beta " << beta;
  }
}

TEST(BrgemmCheck, SeesOneWrongElementAnywhere) {
  for (int i = 0; i < kM * kN; ++i)
    EXPECT_NE(check([&](auto& kernel, const BrgemmCall& x) {
                right(kernel, x);
                c_of(x)[i] += 1;
              }),
              "");
}

TEST(BrgemmCheck, SeesNaN) {
  EXPECT_NE(check([](auto& kernel, const BrgemmCall& x) {
              right(kernel, x);
              c_of(x)[kM * kN - 1] = std::numeric_limits<float>::quiet_NaN();
            }),
            "");
}

TEST(BrgemmCheck, SeesAWriteBeyondC) {
  const auto write_beyond = [](auto& kernel, const BrgemmCall& x) {
    right(kernel, x);
    const_cast<volatile float*>(c_of(x))[kM * kN] = 0;
  };
  EXPECT_EQ(check(write_beyond), kOutside);
  EXPECT_EQ(check(write_beyond, {.guard_after = false}), kBeyondTile);
}

TEST(BrgemmCheck, SeesAWriteBeforeC) {
  const auto write_before = [](auto& kernel, const BrgemmCall& x) {
    right(kernel, x);
    const_cast<volatile float*>(c_of(x))[-1] = 0;
  };
  EXPECT_EQ(check(write_before), kBeyondTile);
  EXPECT_EQ(check(write_before, {.guard_after = false}), kOutside);
}

TEST(BrgemmCheck, SeesAWriteBetweenTheRowsOfC) {
  EXPECT_EQ(check(
                [](auto& kernel, const BrgemmCall& x) {
                  right(kernel, x);
                  c_of(x)[kN] = 0;
                },
                {.pad = 1}),
            kBeyondTile);
}

TEST(BrgemmCheck, SeesTooManyColumns) {
  for (int beta : {0, 1}) {
    BrgemmShape wide = padded_shape(kM, kN, kK, 3, beta, BatchKind::offsets);
    ++wide.n;
    const auto kernel = portable(wide);
    const auto too_wide = [&](auto&, const BrgemmCall& x) { right(*kernel, x); };
    EXPECT_EQ(check(too_wide, {.beta = beta, .pad = 3}), kOutside);
    EXPECT_EQ(check(too_wide, {.beta = beta, .pad = 3, .guard_after = false}), kBeyondTile);
  }
}

// The offsets are such that member 0 of A is the last in memory, and member 0 of B the second.
TEST(BrgemmCheck, SeesAReadBeyondAOrB) {
  EXPECT_EQ(check([](auto& kernel, const BrgemmCall& x) {
              right(kernel, x);
              (void)a_of(x)[x.batch.offsets_a[0] / sizeof(float) + kM * kK];
            }),
            kOutside);
  EXPECT_EQ(check([](auto& kernel, const BrgemmCall& x) {
              right(kernel, x);
              (void)b_of(x)[2 * (kK * kN + 5) + kK * kN];
            }),
            kOutside);
}

TEST(BrgemmCheck, SeesAReadBeforeA) {
  EXPECT_EQ(check(
                [](auto& kernel, const BrgemmCall& x) {
                  right(kernel, x);
                  (void)a_of(x)[-1];
                },
                {.guard_after = false}),
            kOutside);
}

TEST(BrgemmCheck, SeesModifiedInputs) {
  EXPECT_EQ(check([](auto& kernel, const BrgemmCall& x) {
              right(kernel, x);
              a_of(x)[0] = a_of(x)[0] + 1;
            }),
            "it modified A");
  EXPECT_EQ(check([](auto& kernel, const BrgemmCall& x) {
              right(kernel, x);
              b_of(x)[0] = b_of(x)[0] + 1;
            }),
            "it modified B");
}

TEST(BrgemmCheck, SeesAModifiedOffsetArray) {
  EXPECT_EQ(check([](auto& kernel, const BrgemmCall& x) {
              right(kernel, x);
              const_cast<std::uint64_t*>(x.batch.offsets_b)[0] += 4;
            }),
            "it modified an offset array");
}

TEST(BrgemmCheck, SeesTooManyRows) {
  const auto all_rows = [](auto& kernel, BrgemmCall x) {
    x.rows = -1;
    right(kernel, x);
  };
  for (int rows : {0, 1, kM - 1}) {
    EXPECT_EQ(check(all_rows, {.rows = rows}), kOutside);
    EXPECT_EQ(check(all_rows, {.guard_after = false, .rows = rows}), kBeyondTile);
  }
}

TEST(BrgemmCheck, SeesTooFewRows) {
  EXPECT_NE(check(
                [](auto& kernel, BrgemmCall x) {
                  --x.rows;
                  right(kernel, x);
                },
                {.rows = 4}),
            "");
}

TEST(BrgemmCheck, SeesAReadOfMoreRowsOfAThanTheCallHas) {
  EXPECT_EQ(check(
                [](auto& kernel, const BrgemmCall& x) {
                  right(kernel, x);
                  (void)a_of(x)[x.batch.offsets_a[0] / sizeof(float) + x.rows * kK];
                },
                {.rows = kM - 1}),
            kOutside);
}

TEST(BrgemmCheck, SeesAReadOfMoreRowsOfATransposedAThanTheCallHas) {
  EXPECT_EQ(check(
                [](auto& kernel, const BrgemmCall& x) {
                  right(kernel, x);
                  (void)a_of(x)[x.batch.offsets_a[0] / sizeof(float) + (kK - 1) * kM + x.rows];
                },
                {.rows = kM - 1, .a_transposed = true}),
            kOutside);
}

// Between the rows of two steps lies a row that the call does not have.
TEST(BrgemmCheck, SeesAUseOfARowThatTheCallDoesNotHave) {
  EXPECT_NE(check(
                [](auto& kernel, const BrgemmCall& x) {
                  right(kernel, x);
                  c_of(x)[0] += 0 * a_of(x)[x.rows];
                },
                {.rows = kM - 1, .a_transposed = true}),
            "");
}

// Each step of an epilogue alone.
std::vector<Settings> steps() {
  std::vector<Settings> all{{.bias = true}, {.residual = true}};
  for (const LastStep& last : kLastSteps)
    if (last.activation != Activation::none) all.push_back({.last = last});
  return all;
}

TEST(BrgemmCheck, SeesAnEpilogueLeftOut) {
  for (const Settings& with : steps())
    EXPECT_NE(check(
                  [](auto& kernel, BrgemmCall x) {
                    x.epilogue = {};
                    right(kernel, x);
                  },
                  with),
              "")
        << to_string(with.last);
}

// Except relu and its derivative: applying them twice changes nothing.
TEST(BrgemmCheck, SeesAnEpilogueAppliedTwice) {
  for (const Settings& with : steps()) {
    if (with.last.activation == Activation::relu) continue;
    EXPECT_NE(check(
                  [](auto& kernel, const BrgemmCall& x) {
                    right(kernel, x);
                    apply_epilogue(c_of(x), kM, kN, kN, x.epilogue);
                  },
                  with),
              "")
        << to_string(with.last);
  }
}

TEST(BrgemmCheck, SeesAnActivationInPlaceOfItsDerivative) {
  for (const Settings& with : steps()) {
    if (!with.last.derivative) continue;
    EXPECT_NE(check(
                  [](auto& kernel, BrgemmCall x) {
                    x.epilogue.at = nullptr;
                    right(kernel, x);
                  },
                  with),
              "")
        << to_string(with.last);
  }
}

TEST(BrgemmCheck, SeesAnEpilogueInAnotherOrder) {
  EXPECT_NE(check(
                [](auto& kernel, BrgemmCall x) {
                  const float* bias = std::exchange(x.epilogue.bias, nullptr);
                  right(kernel, x);
                  apply_epilogue(c_of(x), kM, kN, kN, {.bias = bias});
                },
                {.bias = true, .last = {Activation::relu}}),
            "");
}

// As a kernel would that cuts its batch and applies the epilogue to each part. Except relu's derivative, which gives
// the same.
TEST(BrgemmCheck, SeesAnEpilogueAppliedToAPartOfTheBatch) {
  const auto adding = portable(padded_shape(kM, kN, kK, 0, 1, BatchKind::offsets));
  for (const Settings& with : steps()) {
    if (with.last.activation == Activation::relu && with.last.derivative) continue;
    EXPECT_NE(check(
                  [&](auto& kernel, BrgemmCall x) {
                    x.batch.size = 1;
                    right(kernel, x);
                    x.batch.size = 2;
                    ++x.batch.offsets_a;
                    ++x.batch.offsets_b;
                    right(*adding, x);
                  },
                  with),
              "")
        << to_string(with.last);
  }
}

TEST(BrgemmCheck, SeesAResidualOrADerivativeReadWithTheLeadingDimensionOfC) {
  EXPECT_NE(check(
                [](auto& kernel, BrgemmCall x) {
                  x.epilogue.ldr = kN;
                  right(kernel, x);
                },
                {.residual = true}),
            "");
  EXPECT_NE(check(
                [](auto& kernel, BrgemmCall x) {
                  x.epilogue.ldat = kN;
                  right(kernel, x);
                },
                {.last = {Activation::relu, true}}),
            "");
}

TEST(BrgemmCheck, SeesAReadBeyondAnEpiloguesOperands) {
  EXPECT_EQ(check(
                [](auto& kernel, const BrgemmCall& x) {
                  right(kernel, x);
                  (void)const_cast<const volatile float*>(x.epilogue.bias)[kN];
                },
                {.bias = true}),
            kOutside);
  EXPECT_EQ(check(
                [](auto& kernel, const BrgemmCall& x) {
                  right(kernel, x);
                  (void)static_cast<const volatile float*>(x.epilogue.residual)[(kM - 1) * x.epilogue.ldr + kN];
                },
                {.residual = true}),
            kOutside);
  EXPECT_EQ(check(
                [](auto& kernel, const BrgemmCall& x) {
                  right(kernel, x);
                  (void)static_cast<const volatile float*>(x.epilogue.at)[(kM - 1) * x.epilogue.ldat + kN];
                },
                {.last = {Activation::relu, true}}),
            kOutside);
}

}  // namespace
}  // namespace brickwork
