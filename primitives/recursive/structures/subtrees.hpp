// Cuts structures into subtrees, one set for each thread, so that a thread can compute its own without the others.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "primitives/recursive/structures/forest.hpp"

namespace brickwork {

constexpr std::int32_t kShared = -1;

class Subtrees {
 public:
  // [node]: the thread that owns it, or kShared. A thread owns whole subtrees; the nodes above them are shared, and so
  // are leaves. The threads' subtrees have about the same number of inner nodes. A DAG is only cut into structures.
  // `height` is that of each node, `by_height` has the nodes with the highest first.
  std::span<const std::int32_t> operator()(const Forest&, std::span<const std::int32_t> height,
                                           std::span<const std::int32_t> by_height, std::int32_t threads);

 private:
  void count_inner_nodes(const Forest&, std::span<const std::int32_t> height, std::span<const std::int32_t> by_height);
  void cut(const Forest&, std::int32_t threads);
  void deal();
  void deal_structures(const Forest&);
  std::int32_t give(std::int32_t inner_nodes);

  std::vector<std::int32_t> owner_, inner_;  // [node]; inner_: inner nodes of its subtree
  std::vector<std::int32_t> roots_;
  std::vector<std::pair<std::int32_t, std::int32_t>> pieces_;  // (inner nodes, root), a heap
  std::vector<std::int64_t> load_;                             // [thread]
};

}  // namespace brickwork
