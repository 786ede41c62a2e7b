// The dependences of a nest by closed forms.
#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "primitives/analysis/dependence_kind.hpp"
#include "primitives/analysis/footprint.hpp"
#include "primitives/analysis/reuse.hpp"
#include "primitives/analysis/working_sets.hpp"

namespace brickwork {
namespace {

struct WorkingSets {
  DataSize nearest, farthest;
};

// What the iterations from `from` to `to` touch, without those in the last iteration of the level that carries.
DataSize touched_between(const Footprint& footprint, const Iteration& from, Iteration to, std::size_t level) {
  const ScheduledNest& nest = footprint.nest();
  if (const std::int64_t last = trips_at(nest, level, from) - 1; to[level] == last) {
    to[level] = last - 1;
    for (std::size_t l = level + 1; l < nest.levels.size(); ++l) to[l] = nest.levels[l].trips - 1;
  }
  return footprint.of(calls_between(nest, from, to));
}

WorkingSets over_parallel_level(const Footprint& footprint, const Iteration& at, std::size_t level) {
  const ScheduledNest& nest = footprint.nest();
  const std::int64_t trips = trips_at(nest, level, at);
  const auto iteration = [&](std::int64_t x) {
    Iteration from = at, to = at;
    from[level] = to[level] = x;
    for (std::size_t l = level + 1; l < nest.levels.size(); ++l) from[l] = 0, to[l] = nest.levels[l].trips - 1;
    return calls_between(nest, from, to);
  };
  std::vector<Calls> calls = iteration(0);
  const std::vector<Calls> end = iteration(trips - 1);
  const DataSize of_first = footprint.of(calls), of_last = footprint.of(end);
  calls.insert(calls.end(), end.begin(), end.end());
  const DataSize of_both = footprint.of(calls);
  const auto shared = [&](__int128 first, __int128 last, __int128 both) {
    const __int128 common = first + last - both;
    return (both - common) * trips / 2 + common;
  };
  const DataSize size{shared(of_first.elements, of_last.elements, of_both.elements),
                      shared(of_first.bytes, of_last.bytes, of_both.bytes)};
  return {size, size};
}

std::int64_t in_64_bits(__int128 size) {
  if (size > std::numeric_limits<std::int64_t>::max()) throw std::overflow_error("a working set exceeds 64 bits");
  return static_cast<std::int64_t>(size);
}

std::optional<Dependence> dependence(const Footprint& footprint, int source, int target, std::size_t level) {
  const NestTouches& touches = footprint.nest().touches;
  const std::optional<Reuse> reuse = find_reuse(footprint, source, target, level);
  if (!reuse) return std::nullopt;
  const bool parallel = footprint.nest().levels[level].parallel;
  const WorkingSets sets = parallel ? over_parallel_level(footprint, reuse->first, level)
                                    : WorkingSets{touched_between(footprint, reuse->first, reuse->nearest, level),
                                                  touched_between(footprint, reuse->first, reuse->farthest, level)};
  return Dependence{kind_of(touches.tensors[source].touch, touches.tensors[target].touch),
                    source,
                    target,
                    static_cast<int>(level),
                    parallel,
                    in_64_bits(sets.nearest.elements),
                    in_64_bits(sets.farthest.elements),
                    in_64_bits(sets.nearest.bytes),
                    in_64_bits(sets.farthest.bytes)};
}

}  // namespace

Result<std::vector<Dependence>> dependences(const ScheduledNest& nest) {
  const std::vector<TouchedTensor>& tensors = nest.touches.tensors;
  try {
    const Footprint footprint(nest);
    std::vector<Dependence> found;
    for (int source = 0; source < std::ssize(tensors); ++source) {
      for (int target = 0; target < std::ssize(tensors); ++target) {
        if (tensors[source].name != tensors[target].name) continue;
        for (std::size_t level = 0; level < nest.levels.size(); ++level) {
          if (const auto next = dependence(footprint, source, target, level)) found.push_back(*next);
        }
      }
    }
    return found;
  } catch (const std::exception& error) {
    return Result<std::vector<Dependence>>::misfit(fmt::format("the nest has no closed form: {}", error.what()));
  }
}

}  // namespace brickwork
