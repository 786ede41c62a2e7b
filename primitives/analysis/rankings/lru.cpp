#include "primitives/analysis/rankings/lru.hpp"

#include <algorithm>
#include <numeric>

#include "primitives/analysis/rankings/lru_stack.hpp"
#include "primitives/analysis/rankings/touched_blocks.hpp"
#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

class CacheSimulation {
 public:
  CacheSimulation(const ScheduledNest& nest, const CacheHierarchy& caches, std::int64_t most_uses)
      : nest_(nest), caches_(caches), stack_(caches.bytes), blocks_(nest), most_uses_(most_uses) {
    for (std::size_t loop = 0; loop < nest.touches.loops.size(); ++loop) {
      at_.push_back(nest.iterations(static_cast<int>(loop), nullptr, 0));
    }
  }

  double nanoseconds() {
    run(0);
    if (uses_ < most_uses_) return early_.nanoseconds + late_.nanoseconds;
    const Part& typical = late_.calls > 0 ? late_ : early_;
    return typical.nanoseconds / typical.calls * calls_of(nest_);
  }

 private:
  struct Part {  // of the simulation
    double nanoseconds = 0, calls = 0;
  };

  void run(std::size_t level) {
    if (level == nest_.levels.size()) return call();
    const auto& [loop, step, trips, parallel] = nest_.levels[level];
    LoopRange& range = at_[static_cast<std::size_t>(loop)];
    const LoopRange whole = range;
    const std::int64_t end = std::min(whole.end, whole.begin + trips * step);
    for (range.begin = whole.begin; range.begin < end && uses_ < most_uses_; range.begin = range.end) {
      range.end = std::min(range.begin + step, end);
      changed_ |= 1U << loop;
      run(level + 1);
    }
    range = whole;
  }

  void call() {
    Part& part = uses_ < most_uses_ / 2 ? early_ : late_;
    for (const auto& [block, bytes, touched_bytes] : blocks_.of_call(at_, changed_)) {
      const auto place = static_cast<std::size_t>(stack_.use(block, bytes));
      part.nanoseconds += static_cast<double>(touched_bytes) / caches_.bandwidth[place];
      ++uses_;
    }
    ++part.calls;
    changed_ = 0;
  }

  const ScheduledNest& nest_;
  const CacheHierarchy& caches_;
  LruStack stack_;
  TouchedBlocks blocks_;
  std::int64_t most_uses_, uses_ = 0;
  std::vector<LoopRange> at_;
  std::uint32_t changed_ = ~0U;  // loops since the last call, as bits
  Part early_, late_;            // while the uses are the first and the second half of the most
};

std::vector<std::size_t> best_first(const std::vector<double>& costs) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return costs[i]; });
  return order;
}

}  // namespace

double calls_of(const ScheduledNest& nest) {
  double calls = 1;
  for (std::size_t loop = 0; loop < nest.touches.loops.size(); ++loop) {
    // Pieces of one size at each level: all but the last one, which may be smaller, are alike.
    std::vector<std::pair<std::int64_t, double>> pieces{
        {nest.iterations(static_cast<int>(loop), nullptr, 0).size(), 1.0}};
    for (const ScheduledLevel& level : nest.levels) {
      if (level.loop != static_cast<int>(loop)) continue;
      std::vector<std::pair<std::int64_t, double>> inner;
      for (const auto& [size, count] : pieces) {
        const std::int64_t whole = size / level.step, rest = size % level.step;
        if (whole > 0) inner.emplace_back(level.step, count * static_cast<double>(whole));
        if (rest > 0) inner.emplace_back(rest, count);
      }
      pieces = std::move(inner);
    }
    double of_loop = 0;
    for (const auto& [size, count] : pieces) of_loop += count;
    calls *= of_loop;
  }
  return calls;
}

double simulated_nanoseconds(const Variant& variant, const CacheHierarchy& caches, std::int64_t most_uses) {
  return CacheSimulation(variant.nest, caches, most_uses).nanoseconds() + variant.facts.fmas / caches.fmas +
         variant.facts.calls * caches.call;
}

std::vector<double> costs_by_lru(std::span<const Variant> variants, const CacheHierarchy& caches,
                                 const LruEffort& effort) {
  if (variants.empty()) return {};
  const auto uses_each = [&](std::size_t count) {
    return std::max<std::int64_t>(effort.uses / static_cast<std::int64_t>(count), 256);
  };
  std::vector<double> costs;
  for (const Variant& variant : variants) {
    costs.push_back(simulated_nanoseconds(variant, caches, uses_each(variants.size())));
  }
  if (variants.size() <= effort.finalists) return costs;

  const std::vector<std::size_t> order = best_first(costs);
  double slowest = 0;
  for (const std::size_t i : std::span(order).first(effort.finalists)) {
    costs[i] = simulated_nanoseconds(variants[i], caches, uses_each(effort.finalists));
    slowest = std::max(slowest, costs[i]);
  }
  for (const std::size_t i : std::span(order).subspan(effort.finalists)) costs[i] += slowest;
  return costs;
}

std::vector<double> costs_by_lru(std::span<const Variant> variants, const CacheHierarchy& caches) {
  return costs_by_lru(variants, caches, LruEffort{});
}

}  // namespace brickwork
