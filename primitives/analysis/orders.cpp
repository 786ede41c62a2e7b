#include "primitives/analysis/orders.hpp"

#include <algorithm>
#include <limits>

#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

struct OrderedLevel {
  std::size_t loop;  // index of the declared loop
  std::int64_t step, trips;
  bool innermost;  // of its loop
};

// Steps of one loop's levels without those that would have a single iteration, but at least one.
std::vector<std::int64_t> useful_steps(const std::vector<std::int64_t>& steps, std::int64_t extent) {
  std::vector<std::int64_t> useful;
  std::int64_t left = extent;
  for (const std::int64_t step : steps) {
    if (step < left) useful.push_back(left = step);
  }
  return useful.empty() ? std::vector{std::min(steps.back(), extent)} : useful;
}

std::vector<OrderedLevel> levels_of(const std::vector<Loop>& loops, const std::vector<LoopCut>& cuts) {
  std::vector<OrderedLevel> levels;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const auto cut = std::ranges::find(cuts, loops[i].name, &LoopCut::loop);
    const std::vector<std::int64_t> steps = useful_steps(
        cut != cuts.end() ? cut->steps : std::vector{loops[i].ranged ? loops[i].extent : 1}, loops[i].extent);
    std::int64_t left = loops[i].extent;
    for (const std::int64_t& step : steps) {
      levels.push_back({i, step, ceil_div(left, step), &step == &steps.back()});
      left = step;
    }
  }
  return levels;
}

class Orders {
 public:
  Orders(const std::vector<Loop>& loops, const std::vector<LoopCut>& cuts, const OrderLimits& limits)
      : loops_(loops), limits_(limits) {
    for (const OrderedLevel& level : levels_of(loops, cuts)) (level.trips > 1 ? levels_ : single_).push_back(level);
    used_.resize(levels_.size());
  }

  std::vector<LoopSchedule> all() {
    extend();
    return std::move(schedules_);
  }

 private:
  bool can_follow(std::size_t next) const {
    const OrderedLevel& level = levels_[next];
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      if (used_[i]) continue;
      if (levels_[i].loop == level.loop && i < next) return false;  // its outer level comes first
      if (limits_.cuts_outermost && !levels_[i].innermost && level.innermost) return false;
    }
    if (!level.innermost) return true;
    for (const auto& [outer, inner] : limits_.outside) {
      if (loops_[level.loop].name != inner) continue;
      for (std::size_t i = 0; i < levels_.size(); ++i) {
        if (!used_[i] && levels_[i].innermost && loops_[levels_[i].loop].name == outer) return false;
      }
    }
    return true;
  }

  void extend() {
    if (order_.size() == levels_.size()) return add();
    for (std::size_t next = 0; next < levels_.size(); ++next) {
      if (used_[next] || !can_follow(next)) continue;
      used_[next] = true;
      order_.push_back(next);
      extend();
      order_.pop_back();
      used_[next] = false;
    }
  }

  // The number of outer levels to run in parallel.
  std::size_t parallel_levels() const {
    constexpr double kEven = 1.05;
    double least = limits_.threads;
    std::size_t best = 0;
    std::int64_t tasks = 1;
    bool in_copies = false;
    for (std::size_t i = 0; i < order_.size() && least > kEven; ++i) {
      const OrderedLevel& level = levels_[order_[i]];
      const LoopKind kind = loops_[level.loop].kind;
      const bool again = std::any_of(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](std::size_t outer) { return levels_[outer].loop == level.loop; });
      if (kind == LoopKind::reduction || again) break;
      if (kind == LoopKind::reduction_in_copies) {
        // A copy a thread: more would only be more to add.
        if (in_copies || i > 0 || level.trips > limits_.threads) break;
        in_copies = true;
      }
      tasks *= level.trips;
      const double imbalance =
          static_cast<double>(ceil_div(tasks, limits_.threads) * limits_.threads) / static_cast<double>(tasks);
      if (imbalance < least) least = imbalance, best = i + 1;
    }
    return best;
  }

  void add() {
    const std::size_t parallel = limits_.threads > 1 ? parallel_levels() : 0;
    if (limits_.threads > 1 && parallel == 0 && !order_.empty()) return;
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const OrderedLevel &outer = levels_[order_[i - 1]], &level = levels_[order_[i]];
      if (outer.loop == level.loop && i > parallel) return;  // as without the cut
    }
    LoopSchedule schedule;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const OrderedLevel& level = levels_[order_[i]];
      schedule.levels.push_back({std::string(loops_[level.loop].name), level.step, i < parallel});
    }
    for (const OrderedLevel& level : single_) {
      schedule.levels.push_back({std::string(loops_[level.loop].name), level.step, false});
    }
    schedules_.push_back(std::move(schedule));
  }

  const std::vector<Loop>& loops_;
  const OrderLimits& limits_;
  std::vector<OrderedLevel> levels_, single_;
  std::vector<bool> used_;
  std::vector<std::size_t> order_;
  std::vector<LoopSchedule> schedules_;
};

}  // namespace

std::vector<LoopSchedule> orders(const std::vector<Loop>& loops, const std::vector<LoopCut>& cuts,
                                 const OrderLimits& limits) {
  return Orders(loops, cuts, limits).all();
}

}  // namespace brickwork
