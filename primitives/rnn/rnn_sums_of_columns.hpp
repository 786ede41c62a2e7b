// The product of a row of ones, by the threads of a team that each take columns of their own.
#pragma once
#include <cstdint>

#include "brgemm.hpp"
#include "host_device.hpp"

namespace brickwork {

// A brick of one row whose A is ones, which are not read; beta is 0. Rows come from far away: a thread has many under
// way. (By the portable brick, of which each thread has eight columns and waits for each row, a bias' gradients of 1680
// rows took 0.45 ms, H100.)
struct RnnSumsOfColumns {
  BrgemmShape shape;

  std::int64_t scratch_bytes() const { return 0; }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, int, const BrgemmCall& call, void*) const {
    constexpr int kUnderWay = 32;
    for (int j = team.rank(); j < shape.n; j += team.size()) {
      float sums[kUnderWay] = {};
      for (std::int64_t i = 0; i < call.batch.size; ++i) {
        const float* const b = call.batch.b<float>(i) + j;
        int k = 0;
        for (; k + kUnderWay <= shape.k; k += kUnderWay) {
          BRICKWORK_DEVICE_UNROLL for (int e = 0; e < kUnderWay; ++e) sums[e] += b[(k + e) * shape.ldb];
        }
        for (; k < shape.k; ++k) sums[0] += b[k * shape.ldb];
      }
      float sum = 0;
      BRICKWORK_DEVICE_UNROLL for (int e = 0; e < kUnderWay; ++e) sum += sums[e];
      static_cast<float*>(call.c)[j] = sum;
    }
  }
};

}  // namespace brickwork
