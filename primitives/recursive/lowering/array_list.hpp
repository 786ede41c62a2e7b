// The arrays of a program while a cell is lowered: each is made when it is first asked for.
#pragma once
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "primitives/recursive/lowering/program.hpp"

namespace brickwork {

enum class GraphOf { cell, inner_gradients, leaf_gradients };  // whose expressions they are

class ArrayList {
 public:
  std::vector<ArrayInfo> all;

  // The array of this kind of one of the cell's inputs, biases or states.
  int of(const ArrayInfo& info) {
    const auto [at, added] = numbers_.emplace(std::tuple(info.kind, info.which), size());
    if (added) all.push_back(info);
    return at->second;
  }
  // The array of an expression's values, for these nodes and those of earlier calls.
  int value(GraphOf graph, int e, const ExprNode& node, RowsOf rows) {
    const auto [at, added] = values_.emplace(std::pair(graph, e), size());
    if (added) {
      all.push_back(
          {.kind = ArrayKind::value, .over = std::max(node.over, Over::node), .matrix = node.matrix, .rows = rows});
    } else {
      widen(at->second, rows);
    }
    return at->second;
  }
  int known_value(GraphOf graph, int e) const {  // -1: there is none yet
    const auto at = values_.find(std::pair(graph, e));
    return at == values_.end() ? -1 : at->second;
  }
  int add(const ArrayInfo& info) {
    all.push_back(info);
    return size() - 1;
  }
  void widen(int array, RowsOf rows) {
    RowsOf& has = all[static_cast<std::size_t>(array)].rows;
    if (has != rows) has = RowsOf::all;
  }

 private:
  int size() const { return static_cast<int>(all.size()); }

  std::map<std::tuple<ArrayKind, int>, int> numbers_;
  std::map<std::pair<GraphOf, int>, int> values_;
};

inline Ref row_of_array(int array, Over over, RowMode mode = RowMode::own, int position = -1) {
  return {.place = Place::array, .index = array, .mode = mode, .position = position, .over = over};
}

}  // namespace brickwork
