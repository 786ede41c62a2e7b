// Where the rows of a level's values lie, and a loop over its nodes.
#pragma once
#include <omp.h>

#include <vector>

#include "baselines/onednn/level_program.hpp"
#include "kernels/base/aligned_buffer.hpp"
#include "primitives/recursive/structures/linearizer.hpp"

namespace brickwork::onednn {

inline std::size_t to_size(std::int64_t n) { return static_cast<std::size_t>(n); }

struct NodeAt {
  std::int64_t place, first_edge, last_edge;
  int thread;
};

// The row of a node or an edge, or its matrix of H rows: at its number less the origin, or where the list says.
struct RowsAt {
  float* base = nullptr;
  const std::int32_t* list = nullptr;
  std::int64_t item = 0, ld = 0, origin = 0;
  bool edge = false;
  std::int64_t of_thread = 0;  // not 0: in a thread's scratch of this size
};

inline float* row_at(const RowsAt& rows, const NodeAt& node, std::int64_t edge) {
  if (rows.of_thread > 0) {
    return rows.base + node.thread * rows.of_thread + (rows.edge ? edge - node.first_edge : 0) * rows.item;
  }
  const std::int64_t i = (rows.edge ? edge : node.place) - rows.origin;
  return rows.base + (rows.list == nullptr ? i : rows.list[i]) * rows.item;
}

// The nodes and edges of a level, or the numbers of the first ones.
struct Items {
  std::int64_t nodes = 0, edges = 0;
  std::int64_t of(Over over) const { return over == Over::edge ? edges : nodes; }
};

// The row of the level's first item.
inline float* first_row(const RowsAt& rows, const Items& first) {
  return rows.base + ((rows.edge ? first.edges : first.nodes) - rows.origin) * rows.item;
}

// Memory of a program's values.
class LevelMemory {
 public:
  enum class Holds : std::uint8_t {
    one_level,
    all_products,  // of all levels, and one level of all else
    everything,
  };
  LevelMemory() = default;
  LevelMemory(const LevelProgram&, std::int64_t H, Holds, const Items& largest_level, const Items& all,
              std::int64_t most_children, int threads);

  // A product, an operand, or a value of a level or of scratch. `level`: the level's first items; `first`: the first
  // items of all levels.
  RowsAt at(const Ref&, const Items& level, const Items& first) const;

 private:
  struct Values {
    AlignedBuffer<float> buffer;
    std::int64_t columns;
  };
  std::int64_t size(bool matrix) const { return matrix ? H_ * H_ : H_; }

  std::int64_t H_ = 0, scratch_size_ = 0;
  Holds holds_ = Holds::one_level;
  std::vector<Values> products_, operands_, level_;
  std::vector<std::int64_t> scratch_offsets_;
  AlignedBuffer<float> scratch_;
};

// Calls work(node) for each node of the level, on the threads if that is worth it: `elements` of all nodes.
template <class Work>
void for_nodes(const Levels& levels, const Level& level, std::int64_t elements, int threads, const Work& work) {
  constexpr std::int64_t kWorthThreads = 1 << 14;  // fewer take less time than to wake the threads
  const std::int32_t* const first_edge = levels.first_edge.data();
#pragma omp parallel for num_threads(threads) schedule(static) if (level.size() > 1 && elements >= kWorthThreads)
  for (std::int32_t n = level.begin; n < level.end; ++n) {
    work(NodeAt{n, first_edge[n], first_edge[n + 1], omp_get_thread_num()});
  }
}

}  // namespace brickwork::onednn
