// A league of the brick's calls: their sizes, and how many there are.
#pragma once
#include <cstdint>
#include <string>

#include "primitives/brgemm/op/brgemm_problem.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// `tasks` calls, each with an A and a C of its own and the same B, as the tiles of a layer's output share its weights.
// Together they are one product of matrices, of tasks * m rows.
struct BrgemmLeagueProblem {
  static const SizeTable<BrgemmLeagueProblem>& table();  // "tasks264 m128 n128 k64 batch16"; tasks and batch default
                                                         // to 1

  std::string name;
  std::int64_t tasks = 1, m = 0, n = 0, k = 0, batch = 1;
  int count = 1;

  BrgemmProblem call() const { return {.name = name, .m = m, .n = n, .k = k, .batch = batch}; }
  std::int64_t depth() const { return batch * k; }  // of the product of matrices

  // Throws std::invalid_argument with one sentence; sizes 1 .. 2^20, at most 2^30 elements a call's tensor and 2^40 of
  // all.
  void validate() const;
};

}  // namespace brickwork
