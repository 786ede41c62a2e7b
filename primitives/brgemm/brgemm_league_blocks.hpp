// Makes the league of a problem from blocked operands, and packs A into blocks.
#pragma once
#include <algorithm>

#include "primitives/brgemm/brgemm_league.hpp"
#include "primitives/brgemm/op/brgemm_league_problem.hpp"

namespace brickwork {

template <class T, class TC>
BrgemmLeague<T, TC> brgemm_league(const BrgemmLeagueProblem& p, const T* a, const T* b, TC* c) {
  BrgemmShape call = p.call().shape();
  call.ab = dtype_of<T>(), call.c = dtype_of<TC>();
  return {call, p.tasks, p.batch, a, b, c};
}

// Packs the plain A [tasks][m][batch * k] into blocks [tasks][batch][m][k].
inline void pack_league_a(const BrgemmLeagueProblem& p, const float* plain, float* blocks) {
  for (std::int64_t row = 0; row < p.tasks * p.m; ++row) {
    for (std::int64_t i = 0; i < p.batch; ++i, plain += p.k) {
      std::copy_n(plain, p.k, blocks + ((row / p.m * p.batch + i) * p.m + row % p.m) * p.k);
    }
  }
}

}  // namespace brickwork
