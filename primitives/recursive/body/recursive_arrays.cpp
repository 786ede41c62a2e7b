#include "primitives/recursive/body/recursive_arrays.hpp"

#include <algorithm>
#include <stdexcept>

namespace brickwork {
namespace {

bool is_users(ArrayKind kind) {
  return kind == ArrayKind::input || kind == ArrayKind::upstream || kind == ArrayKind::input_gradient ||
         kind == ArrayKind::bias;
}

}  // namespace

std::int64_t RecursiveArrays::rows_of(const ArrayInfo& info, const Levels& levels) const {
  const bool before_levels = info.rows == RowsOf::all;  // all nodes are one level there
  if (info.kind == ArrayKind::crossing && dense_ && !before_levels) {
    std::int64_t most = 0;
    for (const Level& level : levels.levels) {
      const auto edges = levels.first_edge[static_cast<std::size_t>(level.end)] -
                         levels.first_edge[static_cast<std::size_t>(level.begin)];
      most = std::max<std::int64_t>(most, info.over == Over::edge ? edges : level.size());
    }
    return most;
  }
  if (info.over == Over::edge) return levels.edges;
  if (info.kind == ArrayKind::state) return levels.nodes + 1;  // zeros before the first, for kNoChild
  switch (info.rows) {
    case RowsOf::inner:
      return levels.first_leaf;
    case RowsOf::leaves:
      return levels.nodes - levels.first_leaf;
    case RowsOf::all:
      break;
  }
  return levels.nodes;
}

void RecursiveArrays::fit(const Levels& levels) {
  buffers_.resize(infos_.size());
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    const ArrayInfo& info = infos_[i];
    if (is_users(info.kind)) continue;
    const std::int64_t size = rows_of(info, levels) * item(info);
    if (static_cast<std::int64_t>(buffers_[i].size()) < size) buffers_[i] = {size, *target_};
  }
}

float* RecursiveArrays::data(int array, const RecursiveTensors& tensors) {
  const auto which = static_cast<std::size_t>(info(array).which);
  switch (info(array).kind) {
    case ArrayKind::input:
      return const_cast<float*>(tensors.inputs.at(which));  // only read
    case ArrayKind::bias:
      return const_cast<float*>(tensors.biases.at(which));
    case ArrayKind::upstream:
      return const_cast<float*>(tensors.upstream.at(which));
    case ArrayKind::input_gradient:
      return tensors.input_gradients.at(which);
    case ArrayKind::state:
      return buffers_[static_cast<std::size_t>(array)].data() + item(info(array));
    default:
      return buffers_[static_cast<std::size_t>(array)].data();
  }
}

const float* RecursiveArrays::fetched_state(int which) const {
  const auto found = std::ranges::find_if(
      infos_, [&](const ArrayInfo& info) { return info.kind == ArrayKind::state && info.which == which; });
  if (found == infos_.end()) throw std::logic_error("the cell has no such state");
  return buffers_[static_cast<std::size_t>(found - infos_.begin())].fetched() + item(*found);
}

std::int64_t RecursiveArrays::bytes() const {
  std::size_t all = 0;
  for (const auto& buffer : buffers_) all += buffer.size() * sizeof(float);
  return static_cast<std::int64_t>(all);
}

}  // namespace brickwork
