#include "primitives/analysis/reuse.hpp"

#include <algorithm>

namespace brickwork {
namespace {

// Searches the pairs of iterations (x, y) in lexicographic order, level by level: first those of x, then those of y
// from the carrying level on. A range of values of a level is left out as soon as the boxes of x and y, taken as sets
// of calls, have no element in common. As the values of an index in a box are nearly always an interval, the search
// goes straight to the answer.
class ReuseSearch {
 public:
  ReuseSearch(const Footprint&, int source, int target, std::size_t level);

  std::optional<Reuse> run() {
    if (nest_.levels[level_].trips < 2 || !may_carry()) return std::nullopt;
    for (std::size_t variable = 0; variable < 2 * depth_; ++variable) free(variable);
    for (std::size_t index = 0; index < has_loop_.size(); ++index) {
      if (!have_common_values(index)) return std::nullopt;
    }
    if (!settle(0)) return std::nullopt;
    Reuse reuse{x_.first, y_.first, {}};
    for (std::size_t level = level_; level < depth_; ++level) free(depth_ + level);
    descending_ = true;
    settle(depth_);
    reuse.farthest = y_.first;
    return reuse;
  }

 private:
  bool may_carry() const;
  bool matters(int loop) const { return footprint_.loops_of(source_)[loop] || footprint_.loops_of(target_)[loop]; }
  bool settle(std::size_t variable);
  bool settle_in(std::size_t variable, std::int64_t first, std::int64_t last);
  void set(std::size_t variable, std::int64_t first, std::int64_t last);
  void free(std::size_t variable) { set(variable, 0, nest_.levels[variable % depth_].trips - 1); }
  bool possible(int loop) const;
  bool have_common_values(std::size_t index) const {
    return footprint_.values(source_, index, x_calls_).meets(footprint_.values(target_, index, y_calls_));
  }

  const Footprint& footprint_;
  const ScheduledNest& nest_;
  const int source_, target_;
  const std::size_t level_, depth_;
  std::vector<std::array<bool, kMaxLoops>> has_loop_;  // for each index: the loops of one of the two tensors' axes
  Box x_{}, y_{};
  Calls x_calls_{}, y_calls_{};  // of those that touch the tensors
  bool descending_ = false;
};

ReuseSearch::ReuseSearch(const Footprint& footprint, int source, int target, std::size_t level)
    : footprint_(footprint),
      nest_(footprint.nest()),
      source_(source),
      target_(target),
      level_(level),
      depth_(nest_.levels.size()),
      has_loop_(footprint.indices(source).size()) {
  for (const int tensor : {source, target}) {
    for (std::size_t index = 0; index < has_loop_.size(); ++index) {
      for (const auto& [axis, factor] : footprint.indices(tensor)[index].terms) {
        if (const int loop = nest_.touches.axes[axis].loop; loop != Axis::kNoLoop) has_loop_[index][loop] = true;
      }
    }
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

// Gives values to the variables from this one on: the levels of x, then those of y from the carrying one on.
bool ReuseSearch::settle(std::size_t variable) {
  if (variable == depth_) variable += level_;
  if (variable == 2 * depth_) return true;
  const std::size_t level = variable % depth_;
  const std::int64_t first = variable == depth_ + level_ ? x_.first[level] + 1 : 0,
                     last = nest_.levels[level].trips - 1;
  if (matters(nest_.levels[level].loop) || (descending_ && variable >= depth_)) return settle_in(variable, first, last);
  set(variable, first, first);
  return settle(variable + 1);
}

bool ReuseSearch::settle_in(std::size_t variable, std::int64_t first, std::int64_t last) {
  if (first > last) return false;
  set(variable, first, last);
  bool found = false;
  if (possible(nest_.levels[variable % depth_].loop)) {
    const std::int64_t middle = first + (last - first) / 2;
    if (first == last) {
      found = settle(variable + 1);
    } else if (descending_) {
      found = settle_in(variable, last, last) || settle_in(variable, middle + 1, last - 1) ||
              settle_in(variable, first, middle);
    } else {
      found = settle_in(variable, first, first) || settle_in(variable, first + 1, middle) ||
              settle_in(variable, middle + 1, last);
    }
  }
  if (!found) free(variable);
  return found;
}

// The iteration y stands where x stands on the levels outside the carrying one, and later on that.
void ReuseSearch::set(std::size_t variable, std::int64_t first, std::int64_t last) {
  const std::size_t level = variable % depth_;
  const int loop = nest_.levels[level].loop;
  if (variable < depth_) {
    x_.first[level] = first, x_.last[level] = last;
    x_calls_[loop] = footprint_.touching(source_, loop, range_of(nest_, x_, loop));
    if (level > level_) return;
    if (level == level_) ++first, last = nest_.levels[level].trips - 1;
  }
  y_.first[level] = first, y_.last[level] = last;
  y_calls_[loop] = footprint_.touching(target_, loop, range_of(nest_, y_, loop));
}

// Whether boxes that changed in a loop's levels may still have an element in common.
bool ReuseSearch::possible(int loop) const {
  if (x_calls_[loop].size() <= 0 || y_calls_[loop].size() <= 0) return false;
  for (std::size_t index = 0; index < has_loop_.size(); ++index) {
    if (has_loop_[index][loop] && !have_common_values(index)) return false;
  }
  return true;
}

}  // namespace

std::optional<Reuse> find_reuse(const Footprint& footprint, int source, int target, std::size_t level) {
  return ReuseSearch(footprint, source, target, level).run();
}

}  // namespace brickwork
