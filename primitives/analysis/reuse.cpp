#include "primitives/analysis/reuse.hpp"

#include <algorithm>

namespace brickwork {
namespace {

// Searches the pairs of iterations (x, y) in lexicographic order, level by level: first those of x, then those of y
// from the carrying level on. A range of values of a level is left out as soon as the boxes of x and y, taken as sets
// of calls, have no element in common. As sets of a box are intervals, the search nearly always goes straight to the
// answer.
class ReuseSearch {
 public:
  ReuseSearch(const Footprint& footprint, int source, int target, std::size_t level)
      : footprint_(footprint),
        nest_(footprint.nest()),
        source_(source),
        target_(target),
        level_(level),
        depth_(nest_.levels.size()),
        x_(whole_box(nest_)),
        y_(x_) {
    note_relevant(source), note_relevant(target);
  }

  std::optional<Reuse> run() {
    if (nest_.levels[level_].trips < 2 || !may_carry() || !settle(0)) return std::nullopt;
    Reuse reuse{x_.first, y_.first, {}};
    y_ = whole_box(nest_);
    descending_ = true;
    settle(depth_);
    reuse.farthest = y_.first;
    return reuse;
  }

 private:
  void note_relevant(int tensor);
  bool may_carry() const;
  bool settle(std::size_t variable);
  bool settle_in(std::size_t variable, std::int64_t first, std::int64_t last);
  bool possible(std::size_t variable);

  const Footprint& footprint_;
  const ScheduledNest& nest_;
  const int source_, target_;
  const std::size_t level_, depth_;
  std::array<bool, kMaxLoops> relevant_{};  // loops on which it depends what the two tensors have in common
  Box x_, y_;
  std::optional<Product> source_elements_;
  bool descending_ = false;
};

void ReuseSearch::note_relevant(int tensor) {
  const NestTouches& touches = nest_.touches;
  for (const Footprint::Index& index : footprint_.indices(tensor)) {
    for (const auto& [axis, factor] : index.terms) {
      if (touches.axes[axis].loop != Axis::kNoLoop) relevant_[touches.axes[axis].loop] = true;
    }
  }
  for (std::size_t l = 0; touches.tensors[tensor].at_last && l < touches.loops.size(); ++l) {
    relevant_[l] = relevant_[l] || touches.loops[l].kind != LoopKind::independent;
  }
}

// False if the points of x and y cannot differ by what the index needs. The points of the level's loop differ by 1 at
// least, those of other loops by less than what the levels outside leave to them.
bool ReuseSearch::may_carry() const {
  const NestTouches& touches = nest_.touches;
  for (std::size_t i = 0; i < footprint_.indices(source_).size(); ++i) {
    const Footprint::Index &from = footprint_.indices(source_)[i], &to = footprint_.indices(target_)[i];
    if (from.terms != to.terms) continue;
    std::int64_t least = 0, most = 0;
    for (const auto& [axis_index, factor] : from.terms) {
      const Axis& axis = touches.axes[axis_index];
      std::int64_t points = axis.size;
      for (std::size_t l = 0; l < level_; ++l) {
        if (nest_.levels[l].loop == axis.loop) points = std::min(points, nest_.levels[l].step * axis.block);
      }
      most += factor * (points - 1);
      least += axis.loop == nest_.levels[level_].loop ? factor : -factor * (points - 1);
    }
    const std::int64_t needed = from.offset - to.offset;
    if (needed < least || needed > most) return false;
  }
  return true;
}

// Gives values to the variables from this one on: the levels of x, then those of y.
bool ReuseSearch::settle(std::size_t variable) {
  if (variable == 2 * depth_) return true;
  if (variable < depth_) return settle_in(variable, 0, nest_.levels[variable].trips - 1);
  const std::size_t level = std::max(variable - depth_, level_);
  for (std::size_t l = 0; l < level_; ++l) y_.first[l] = y_.last[l] = x_.first[l];
  return settle_in(depth_ + level, level == level_ ? x_.first[level] + 1 : 0, nest_.levels[level].trips - 1);
}

bool ReuseSearch::settle_in(std::size_t variable, std::int64_t first, std::int64_t last) {
  if (first > last) return false;
  Box& box = variable < depth_ ? x_ : y_;
  const std::size_t level = variable < depth_ ? variable : variable - depth_;
  box.first[level] = first, box.last[level] = last;
  bool found = false;
  if (possible(variable)) {
    if (first == last) {
      found = settle(variable + 1);
    } else {
      const std::int64_t next = descending_ ? last : first, middle = first + (last - first) / 2;
      const std::int64_t rest_first = descending_ ? first : first + 1, rest_last = descending_ ? last - 1 : last;
      found = settle_in(variable, next, next);
      // If x fails at 0 on a level of another loop, it fails everywhere there.
      if (!found && (variable >= depth_ || relevant_[nest_.levels[level].loop])) {
        found = descending_ ? settle_in(variable, middle + 1, rest_last) || settle_in(variable, rest_first, middle)
                            : settle_in(variable, rest_first, middle) || settle_in(variable, middle + 1, rest_last);
      }
    }
  }
  if (!found) box.first[level] = 0, box.last[level] = nest_.levels[level].trips - 1;
  return found;
}

bool ReuseSearch::possible(std::size_t variable) {
  const std::size_t loops = nest_.touches.loops.size();
  if (variable < depth_) {
    const Calls calls = calls_of(nest_, x_);
    if (!any(calls, loops)) return false;
    source_elements_ = footprint_.of(source_, calls);
    for (std::size_t l = 0; l < level_; ++l) y_.first[l] = x_.first[l], y_.last[l] = x_.last[l];
    y_.first[level_] = x_.first[level_] + 1;
    if (y_.first[level_] > y_.last[level_]) return false;
  }
  if (!source_elements_) return false;
  const Calls calls = calls_of(nest_, y_);
  if (!any(calls, loops)) return false;
  const auto target_elements = footprint_.of(target_, calls);
  return target_elements && std::ranges::equal(*source_elements_, *target_elements,
                                               [](const auto& a, const auto& b) { return a.meets(b); });
}

}  // namespace

std::optional<Reuse> find_reuse(const Footprint& footprint, int source, int target, std::size_t level) {
  return ReuseSearch(footprint, source, target, level).run();
}

}  // namespace brickwork
