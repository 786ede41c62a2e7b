// One brick call as an operation: C = sum over the batch of A_i * B_i.
#pragma once
#include "primitives/brgemm/op/brgemm_problem.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// Tensors: A [batch][m][k], B [batch][k][n]; C [m][n].
struct BrgemmOp {
  using Problem = BrgemmProblem;
  static constexpr std::string_view primitive = "brgemm", pass = "gemm";
  static constexpr std::nullptr_t images = nullptr;
  static constexpr bool sum_of_products = true;

  static std::vector<TensorInfo> inputs(const BrgemmProblem& p) {
    return {{.name = "A", .dims = {p.batch, p.m, p.k}}, {.name = "B", .dims = {p.batch, p.k, p.n}}};
  }
  static std::vector<TensorInfo> outputs(const BrgemmProblem& p) { return {{.name = "C", .dims = {p.m, p.n}}}; }
  static std::int64_t terms(const BrgemmProblem& p) { return p.k * p.batch; }
  static double flops(const BrgemmProblem& p) {
    return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(terms(p));
  }

  static void reference(const BrgemmProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
