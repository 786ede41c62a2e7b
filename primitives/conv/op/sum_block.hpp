// Several sums of products side by side: what the definitions of convolution's passes have in common. Each sum adds its
// products one by one, in the order in which they come, so that what it is does not depend on its neighbours.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace brickwork {

inline constexpr std::int64_t kBlockSums = 16;  // of a block

// Sums in registers. A product of each shares one factor, so that it is read once: with a block instead of one sum the
// definitions take 0.4 of the time (Zen 4). Vectors of 16 bytes, as every processor has them: with an array of double
// GCC 12 keeps the sums in memory.
class SumBlock {
 public:
  SumBlock() = default;
  explicit SumBlock(const double* sums) { std::memcpy(sums_, sums, sizeof sums_); }

  void add(double factor, const double* factors) {  // factors[kBlockSums]
    for (int i = 0; i < kPairs; ++i) sums_[i] += factor * pair(factors, i);
  }
  void add(const SumBlock& other) {
    for (int i = 0; i < kPairs; ++i) sums_[i] += other.sums_[i];
  }
  void store(double* sums) const { std::memcpy(sums, sums_, sizeof sums_); }

 private:
  typedef double Pair __attribute__((vector_size(16)));
  static constexpr int kPairs = kBlockSums / 2;

  static Pair pair(const double* from, int i) {
    Pair pair;
    std::memcpy(&pair, from + 2 * i, sizeof pair);
    return pair;
  }

  Pair sums_[kPairs] = {};
};

// So many blocks hold `sums` sums; the last one may have more than are left of them.
inline std::int64_t sum_blocks(std::int64_t sums) { return (sums + kBlockSums - 1) / kBlockSums; }

// One dimension of a tensor.
struct BlockDim {
  std::int64_t size, stride;
};

// The factors of a block's terms side by side, [outer][inner][kBlockSums], of a tensor with these three dimensions;
// zeros where there are no more sums.
inline void pack_block(const double* from, std::int64_t block, BlockDim sums, BlockDim outer, BlockDim inner,
                       double* packed) {
  const std::int64_t first = block * kBlockSums, there = std::min(kBlockSums, sums.size - first);
  for (std::int64_t o = 0; o < outer.size; ++o) {
    for (std::int64_t i = 0; i < inner.size; ++i, packed += kBlockSums) {
      const double* factor = from + first * sums.stride + o * outer.stride + i * inner.stride;
      for (std::int64_t sum = 0; sum < there; ++sum) packed[sum] = factor[sum * sums.stride];
      std::fill(packed + there, packed + kBlockSums, 0.0);
    }
  }
}

}  // namespace brickwork
