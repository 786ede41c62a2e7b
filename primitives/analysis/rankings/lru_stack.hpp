// Caches that replace what was not used for longest, each of which contains all smaller ones: blocks in the order of
// their last use, of which each cache has as many from the front as fit.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "primitives/analysis/cache_hierarchy.hpp"

namespace brickwork {

class LruStack {
 public:
  explicit LruStack(const std::array<std::int64_t, kPlaces - 1>& bytes);

  // Uses a block and returns where it was; memory at its first use. The caller chooses the block's number and gives the
  // same size at each use. Takes constant time.
  CachePlace use(std::uint64_t block, std::int64_t bytes);

 private:
  static constexpr int kNone = -1;
  struct Node {
    std::uint64_t block;
    std::int64_t bytes;
    int before = kNone, after = kNone;  // in the order of use
    std::size_t place = kPlaces - 1;
  };

  int node_of(std::uint64_t block, std::int64_t bytes);
  void grow();
  void move_to_front(int node);
  void evict_from(std::size_t cache);

  std::array<std::int64_t, kPlaces - 1> capacity_, used_{};
  std::array<int, kPlaces - 1> last_;  // each cache's least recently used block
  int front_ = kNone;
  std::vector<Node> nodes_;
  std::vector<int> slots_;  // a hash table of nodes with open addressing, at most half full
};

}  // namespace brickwork
