// The product of a row of ones, by the threads of a team that each take columns of their own.
#pragma once
#include <cstdint>

#include "kernels/base/bf16.hpp"
#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

// A brick of one row whose A is ones, which are not read, and without an epilogue. Rows come from far away: a thread
// has many under way. (By the portable brick, of which each thread has eight columns and waits for each row, a bias'
// gradients of 1680 rows took 0.45 ms, H100.)
template <class T, class TC = T>
struct SumsOfColumns {
  BrgemmShape shape;

  std::int64_t scratch_bytes() const { return 0; }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, int beta, const BrgemmCall& call, void*) const {
    constexpr int kUnderWay = 32;
    for (int j = team.rank(); j < shape.n; j += team.size()) {
      SumOf<TC> sums[kUnderWay] = {};
      for (std::int64_t i = 0; i < call.batch.size; ++i) {
        const T* const b = call.batch.b<T>(i) + j;
        for (int k = 0; k < shape.k; k += kUnderWay) {
          BRICKWORK_DEVICE_UNROLL for (int e = 0; e < kUnderWay; ++e) {
            if (k + e < shape.k) sums[e] += SumOf<TC>(b[(k + e) * shape.ldb]);
          }
        }
      }
      TC* const c = static_cast<TC*>(call.c) + j;
      SumOf<TC> sum = beta == 0 ? SumOf<TC>(0) : SumOf<TC>(*c);
      BRICKWORK_DEVICE_UNROLL for (int e = 0; e < kUnderWay; ++e) sum += sums[e];
      *c = TC(sum);
    }
  }
};

}  // namespace brickwork
