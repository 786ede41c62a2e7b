#include "primitives/conv/feature_blocks.hpp"

#include <algorithm>
#include <limits>

#include "kernels/base/equal_spans.hpp"
#include "kernels/base/floats.hpp"
#include "kernels/cpu/simd/simd_tuning.hpp"
#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

// Instructions per FMA for `rows` x (`vecs` * kFloatsOfVector) outputs and one step over k: the FMAs, a broadcast for
// every row of a tile, a load and a prefetch for every vector of B. Instruction sets with shorter vectors have tiles of
// as many features, so that every size here suits them, too.
double instructions_per_fma(std::int64_t rows, std::int64_t vecs, OneVector one_vector) {
  constexpr std::int64_t kSevenRows = 7;  // 7 rows are a single tile also if it is four vectors wide
  const std::int64_t most = vecs == 4 && rows == kSevenRows ? rows : kMostRowsOfATile[vecs - 1];
  const auto tiles = static_cast<double>(ceil_div(rows, most)), m = static_cast<double>(rows);
  const auto v = static_cast<double>(vecs);
  if (vecs == 1) {
    // Measured on Emerald Rapids, compared with tiles of 6 x 64. It is more than the counted 1 + 1 / rows, as a core
    // can do only one load per FMA.
    constexpr double kCheap = 1.45, kFair = 1.52;
    return (one_vector == OneVector::cheap ? kCheap : kFair) * (m + tiles) / m;
  }
  // Tiles two vectors wide are 5 to 7 % slower than the count says, on ResNet-50's 3x3 layers.
  constexpr double kTwoVectors = 1.07;
  return (vecs == 2 ? kTwoVectors : 1.0) * (m * v + m + 2 * v * tiles) / (m * v);
}

// Cost of a block with its padding: instructions per FMA, summed over its vectors of kFloatsOfVector features.
double cost_of_block(std::int64_t block, std::int64_t rows, OneVector one_vector, std::int64_t liked) {
  constexpr int kWidest = 4;
  const auto vectors = static_cast<int>(ceil_div(block, kFloatsOfVector));
  if (liked < kWidest * kFloatsOfVector) return vectors;  // tiles are one such vector wide in any block
  const EqualSpans panels(vectors, kWidest);
  double cost = 0;
  for (int i = 0; i < panels.count; ++i) {
    const int vecs = panels[i].size;
    cost += vecs * instructions_per_fma(rows, vecs, one_vector);
  }
  return cost;
}

}  // namespace

double instructions_per_multiply_add(std::int64_t block, std::int64_t rows, OneVector one_vector, std::int64_t liked) {
  return cost_of_block(block, rows, one_vector, liked) /
         (static_cast<double>(block) / static_cast<double>(kFloatsOfVector));
}

std::int64_t output_feature_block(std::int64_t K, std::int64_t rows, OneVector one_vector, std::int64_t liked) {
  // In order of preference: among equal costs the first wins.
  const std::int64_t sizes[] = {liked, 64, 48, 80, 32, 16};
  constexpr double kTie = 0.025;
  std::int64_t best = std::min(K, liked);
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t size : sizes) {
    const std::int64_t block = std::min(K, size);
    if (block <= kFloatsOfVector && K > kFloatsOfVector && one_vector == OneVector::dear) continue;
    const double cost = static_cast<double>(ceil_div(K, block)) * cost_of_block(block, rows, one_vector, liked);
    if (cost < (1 - kTie) * least) {
      least = cost;
      best = block;
    }
  }
  return best;
}

}  // namespace brickwork
