// The problem of a league of brick calls: the sizes of a call and the number of tasks.
#pragma once
#include <cstdint>
#include <string>

#include "primitives/brgemm/op/brgemm_problem.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// `tasks` calls, each with its own A and C; all share B, as the tiles of a layer's output share its weights. Together
// they are one matrix product with tasks * m rows.
struct BrgemmLeagueProblem {
  static const SizeTable<BrgemmLeagueProblem>& table();  // "tasks264 m128 n128 k64 batch16"; tasks and batch default
                                                         // to 1

  std::string name;
  std::int64_t tasks = 1, m = 0, n = 0, k = 0, batch = 1;
  int count = 1;

  BrgemmProblem call() const { return {.name = name, .m = m, .n = n, .k = k, .batch = batch}; }
  std::int64_t depth() const { return batch * k; }  // k of the whole matrix product

  // Throws std::invalid_argument with one sentence unless every size is from 1 to 2^20, each tensor of a call has at
  // most 2^30 elements, and A and C of all tasks have at most 2^40 each.
  void validate() const;
};

}  // namespace brickwork
