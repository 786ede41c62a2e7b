// A league of brick calls as an operation: C_t = A_t * B for every task t.
#pragma once
#include "primitives/brgemm/op/brgemm_league_problem.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// Tensors: A [tasks][m][batch * k], B [batch * k][n]; C [tasks][m][n].
struct BrgemmLeagueOp {
  using Problem = BrgemmLeagueProblem;
  static constexpr std::string_view primitive = "brgemm", pass = "league";
  static constexpr std::int64_t BrgemmLeagueProblem::*images = &BrgemmLeagueProblem::tasks;
  static constexpr bool sum_of_products = true;

  static std::vector<TensorInfo> inputs(const BrgemmLeagueProblem& p) {
    return {{.name = "A", .dims = {p.tasks, p.m, p.depth()}, .per_image = true},
            {.name = "B", .dims = {p.depth(), p.n}}};
  }
  static std::vector<TensorInfo> outputs(const BrgemmLeagueProblem& p) {
    return {{.name = "C", .dims = {p.tasks, p.m, p.n}, .per_image = true}};
  }
  static std::int64_t terms(const BrgemmLeagueProblem& p) { return p.depth(); }
  static double flops(const BrgemmLeagueProblem& p) {
    return 2.0 * static_cast<double>(p.tasks * p.m) * static_cast<double>(p.n) * static_cast<double>(terms(p));
  }

  static void reference(const BrgemmLeagueProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
