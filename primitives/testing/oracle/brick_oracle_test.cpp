// Compares the brick on every backend and instruction set with plain loops.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "primitives/testing/oracle/curves.hpp"
#include "primitives/testing/oracle/outcome.hpp"
#include "primitives/testing/oracle/random_driver.hpp"

namespace brickwork::oracle {
namespace {

// The matrices of a batch, `distance` apart, with NaN around and between them.
class Operands {
 public:
  // Rows of `columns` values, `next` apart; they may overlap.
  Operands(std::int64_t batch, std::int64_t rows, std::int64_t columns, std::int64_t next, SownValues& values)
      : ld(next),
        distance(rows * next + columns + up_to(9)),
        floats(unwritten_floats(batch * distance + 64)),
        first_(up_to(32) - 1),
        rows_(rows),
        columns_(columns) {
    for (std::int64_t i = 0; i < batch; ++i)
      for (std::int64_t row = 0; row < rows; ++row) {
        values.fill({member(i) + row * ld, static_cast<std::size_t>(columns)});
      }
  }

  float* member(std::int64_t i = 0) { return floats.data() + first_ + i * distance; }
  const float* member(std::int64_t i = 0) const { return floats.data() + first_ + i * distance; }
  float at(std::int64_t row, std::int64_t column, std::int64_t i = 0) const { return member(i)[row * ld + column]; }
  void clear() {
    for (std::int64_t row = 0; row < rows_; ++row) std::fill_n(member() + row * ld, columns_, NAN);
  }

  const std::int64_t ld, distance;
  AlignedBuffer<float> floats;

 private:
  std::int64_t first_, rows_, columns_;
};

struct BrickProblem {
  BrgemmShape shape;
  BrgemmHints hints;
  std::int64_t batch, rows;
  Epilogue epilogue;
};

BrickProblem random_brick_problem(const Brick& brick) {
  const auto flag = [] { return *rc::gen::arbitrary<bool>(); };
  const auto size = [] { return static_cast<int>(random_size({8, 16, 28, 32, 48, 64})); };
  BrickProblem p{.shape = {.m = size(), .n = size(), .k = size()}, .batch = up_to(5) - 1};
  BrgemmShape& s = p.shape;
  s.a_transposed = flag();
  s.beta = flag() ? 1 : 0;
  s.batch_kind = *rc::gen::element(BatchKind::strides, BatchKind::offsets);
  const int tight = s.a_transposed ? s.m : s.k;
  s.lda = takes_overlapping_rows(brick.backend) && up_to(4) == 1 ? up_to(tight) : tight + up_to(20) - 1;
  s.ldb = s.n + up_to(20) - 1;
  s.ldc = s.n + up_to(20) - 1;
  p.rows = up_to(3) == 1 ? up_to(s.m) : s.m;
  p.epilogue = {.bias = flag(),
                .residual = flag(),
                .activation = *rc::gen::elementOf(std::vector(std::begin(kActivations), std::end(kActivations)))};
  p.epilogue.derivative = p.epilogue.activation != Activation::none && flag();
  p.hints = {.c = *rc::gen::element(CAccess::cached, CAccess::prefetch, CAccess::stream)};
  p.hints.code = *rc::gen::element(TileCode::compiled, TileCode::generated);
  p.hints.tuning.spread = *rc::gen::element(SpreadA::registers, SpreadA::shuffled, SpreadA::memory);
  p.hints.tuning.tiles = *rc::gen::element(FarTiles::tall, FarTiles::wide);
  p.hints.tuning.kept = *rc::gen::element(0, 1, 32);
  return p;
}

struct BrickOperands {
  Operands a, b, c, bias, residual, at;

  BrickOperands(const BrickProblem& p, SownValues& values)
      : a(p.shape.a_transposed ? Operands(p.batch, p.shape.k, p.rows, p.shape.lda, values)
                               : Operands(p.batch, p.rows, p.shape.k, p.shape.lda, values)),
        b(p.batch, p.shape.k, p.shape.n, p.shape.ldb, values),
        c(1, p.rows, p.shape.n, p.shape.ldc, values),
        bias(1, 1, p.shape.n, p.shape.n, values),
        residual(1, p.rows, p.shape.n, p.shape.n + up_to(9), values),
        at(1, p.rows, p.shape.n, p.shape.n + up_to(9), values) {}
};

Outcomes brick_by_loops(const BrickProblem& p, const BrickOperands& of) {
  Intervals c;
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t j = 0; j < p.shape.n; ++j) {
      Sum sum;
      if (p.shape.beta == 1) sum.add(Interval::of(of.c.at(i, j)));
      for (std::int64_t member = 0; member < p.batch; ++member)
        for (std::int64_t k = 0; k < p.shape.k; ++k) {
          sum.add_product(p.shape.a_transposed ? of.a.at(k, i, member) : of.a.at(i, k, member), of.b.at(k, j, member));
        }
      if (p.epilogue.bias) sum.add(Interval::of(of.bias.at(0, j)));
      if (p.epilogue.residual) sum.add(Interval::of(of.residual.at(i, j)));
      c.push_back(last_step(p.epilogue, sum.value(), of.at.at(i, j)));
    }
  return {{"c", c}};
}

// The members in reverse order, in the form of the shape's batch kind.
class BatchOf {
 public:
  BatchOf(const BrickProblem& p, const BrickOperands& of) : p_(p), of_(of) {
    for (std::int64_t i = p.batch; i-- > 0;) {
      offsets_a_.push_back(static_cast<std::uint64_t>(i * of.a.distance) * sizeof(float));
      offsets_b_.push_back(static_cast<std::uint64_t>(i * of.b.distance) * sizeof(float));
    }
  }
  Batch operator()(const BrgemmShape& shape) const {
    if (shape.batch_kind == BatchKind::strides) return strided_batch(shape, of_.a.member(), of_.b.member(), p_.batch);
    return Batch::at_offsets(of_.a.member(), of_.b.member(), p_.batch, offsets_a_.data(), offsets_b_.data());
  }

 private:
  const BrickProblem& p_;
  const BrickOperands& of_;
  std::vector<std::uint64_t> offsets_a_, offsets_b_;
};

TEST(BrickOracle, RandomShapes) {
  EXPECT_TRUE(rc::check([] {
    const Brick brick = random_brick();
    BrickProblem p = random_brick_problem(brick);
    BrgemmShape& s = p.shape;
    const Sown sown = random_sown();
    SownValues values(sown, random_seed());
    BrickOperands of(p, values);
    if (s.batch_kind == BatchKind::strides) s.stride_a = of.a.distance, s.stride_b = of.b.distance;
    const Outcomes right = brick_by_loops(p, of);
    if (s.beta == 0) of.c.clear();

    const auto kernel = make_brgemm(s, p.hints, brick.backend, brick.isa);
    if (!kernel) RC_FAIL(kernel.reason());
    const BatchOf batch(p, of);
    (**kernel)({.batch = batch(s),
                .c = of.c.member(),
                .rows = static_cast<int>(p.rows),
                .epilogue = {.bias = p.epilogue.bias ? of.bias.member() : nullptr,
                             .residual = p.epilogue.residual ? of.residual.member() : nullptr,
                             .ldr = of.residual.ld,
                             .activation = p.epilogue.activation,
                             .at = p.epilogue.derivative ? of.at.member() : nullptr,
                             .ldat = of.at.ld}});
    PlainTensors out({{.name = "c", .dims = {p.rows, s.n}}});
    for (std::int64_t i = 0; i < p.rows; ++i) std::copy_n(of.c.member() + i * s.ldc, s.n, out.at<float>("c") + i * s.n);
    require_none(difference(out, right),
                 fmt::format("{} batch {} rows {} {} {}", brickwork::to_string(s), p.batch, p.rows,
                             brickwork::to_string(p.epilogue), to_string(brick)),
                 sown);
    of.c.clear();
    RC_ASSERT(std::ranges::all_of(of.c.floats, [](float x) { return std::isnan(x); }));  // still NaN
  }));
}

}  // namespace
}  // namespace brickwork::oracle
