// What the blocks of threads of a GPU have of a recurrent layer: their tiles of multiply-adds, and the sizes of tasks
// that fill both those and its multiprocessors.
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

#include "integers.hpp"
#include "mma_tiles.hpp"
#include "rnn/rnn_geometry.hpp"

namespace brickwork {

static_assert(LowFmaTile<>::kM == kFewSequencesOnGpu);

// Of a step there is hardly more than a tile for each multiprocessor, so that two groups of warps share its steps over
// k.
using StepFmaTile = FmaTile<kManySequencesOnGpu, 64, 64, 2, 2, 2, 3, 1>;

// with(std::type_identity<Tile>()), as for_fma_tile() has it.
template <bool a_transposed, class With>
void for_rnn_tile(const BrgemmShape& shape, const With& with) {
  if constexpr (a_transposed) {
    for_fma_tile<true>(shape, with);
  } else {
    if (shape.m > SquareFmaTile<>::kM && shape.m <= StepFmaTile::kM) return with(std::type_identity<StepFmaTile>());
    if (shape.m > LowFmaTile<>::kM) return with(std::type_identity<SquareFmaTile<>>());
    return with(std::type_identity<LowFmaTile<>>());
  }
}

// A step's product has few sums, each of all gates: shares of those are tasks, too.
inline RnnSizes rnn_sizes_on_gpu(std::int64_t N, std::int64_t K, std::int64_t multiprocessors) {
  const std::int64_t Db = ceil_div(K, LowFmaTile<>::kN), bn = sequences_of_gpu_task(N, Db * Db, multiprocessors);
  constexpr std::int64_t kAny = std::numeric_limits<int>::max();
  return {.apart = true,
          .threads = 1,
          .rows_of_x = SquareFmaTile<>::kM,
          .bn = bn,
          .shares = multiprocessors / (Db * ceil_div(N, bn)),
          .bytes_of_weights = std::numeric_limits<std::int64_t>::max(),
          .rows_of_dx = SquareFmaTile<>::kM,
          .rows_of_update = kAny,
          .tasks_of_dx = kAny,
          .tasks_of_update = WideFmaTile<true>::kBlocks * multiprocessors};
}

}  // namespace brickwork
