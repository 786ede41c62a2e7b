#include "primitives/brgemm/op/brgemm_problem.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace brickwork {
namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 20;
constexpr std::int64_t kMaxOperandElements = std::int64_t{1} << 30;

}  // namespace

const SizeTable<BrgemmProblem>& BrgemmProblem::table() {
  using P = BrgemmProblem;
  static const SizeTable<BrgemmProblem> table{.kind = "brgemm",
                                              .sizes = {{.key = "m", .column = "m", .member = &P::m},
                                                        {.key = "n", .column = "n", .member = &P::n},
                                                        {.key = "k", .column = "k", .member = &P::k},
                                                        {.key = "batch", .column = "batch", .member = &P::batch}},
                                              .words = {}};
  return table;
}

BrgemmShape BrgemmProblem::shape() const {
  return {.m = static_cast<int>(m),
          .n = static_cast<int>(n),
          .k = static_cast<int>(k),
          .lda = k,
          .ldb = n,
          .ldc = n,
          .beta = 0,
          .batch_kind = BatchKind::strides,
          .stride_a = m * k,
          .stride_b = k * n};
}

void BrgemmProblem::validate() const {
  check_sizes(*this, kMaxSize, "2^20");
  // m * k <= 2^40 and batch <= 2^20, so no product of three overflows.
  for (const auto& [tensor, elements] : {std::pair{"A", batch * m * k}, {"B", batch * k * n}, {"C", m * n}}) {
    if (elements > kMaxOperandElements) {
      throw std::invalid_argument(fmt::format("{} has {} elements: at most 2^30 are allowed", tensor, elements));
    }
  }
}

}  // namespace brickwork
