// The dependences of a nest by closed forms.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "primitives/analysis/dependence_kind.hpp"
#include "primitives/analysis/footprint.hpp"
#include "primitives/analysis/reuse.hpp"
#include "primitives/analysis/working_sets.hpp"

namespace brickwork {
namespace {

std::int64_t in_64_bits(__int128 size) {
  if (size > std::numeric_limits<std::int64_t>::max()) throw std::overflow_error("a working set exceeds 64 bits");
  return static_cast<std::int64_t>(size);
}

class ClosedForms {
 public:
  explicit ClosedForms(const ScheduledNest& nest) : nest_(nest), footprint_(nest) {}

  std::optional<Dependence> find(int source, int target, std::size_t level) const {
    const std::optional<Reuse> reuse = find_reuse(footprint_, source, target, level);
    if (!reuse) return std::nullopt;
    const DataSize nearest = working_set(reuse->first, reuse->nearest, level);
    const DataSize farthest = working_set(reuse->first, reuse->farthest, level);
    return Dependence{kind_of(nest_.touches.tensors[source].touch, nest_.touches.tensors[target].touch),
                      source,
                      target,
                      static_cast<int>(level),
                      nest_.levels[level].parallel,
                      in_64_bits(nearest.elements),
                      in_64_bits(farthest.elements),
                      in_64_bits(nearest.bytes),
                      in_64_bits(farthest.bytes)};
  }

 private:
  DataSize working_set(const Iteration& from, Iteration to, std::size_t level) const;
  DataSize over_parallel_level(const Iteration& at, std::size_t level) const;

  // The calls of an iteration of the level.
  std::vector<Calls> iteration(Iteration at, std::size_t level, std::int64_t x) const {
    at[level] = x;
    std::fill(at.begin() + level + 1, at.end(), 0);
    return calls_between(nest_, at, end_of_iteration(at, level));
  }
  Iteration end_of_iteration(Iteration at, std::size_t level) const {
    for (std::size_t l = level + 1; l < nest_.levels.size(); ++l) at[l] = nest_.levels[l].trips - 1;
    return at;
  }

  const ScheduledNest& nest_;
  const Footprint footprint_;
};

DataSize ClosedForms::working_set(const Iteration& from, Iteration to, std::size_t level) const {
  if (nest_.levels[level].parallel) return over_parallel_level(from, level);
  if (const std::int64_t last = trips_at(nest_, level, from) - 1; to[level] == last) {
    to[level] = last - 1;
    to = end_of_iteration(to, level);
  }
  return footprint_.of(calls_between(nest_, from, to));
}

DataSize ClosedForms::over_parallel_level(const Iteration& at, std::size_t level) const {
  const std::int64_t trips = trips_at(nest_, level, at);
  std::vector<Calls> calls = iteration(at, level, 0);
  const std::vector<Calls> end = iteration(at, level, trips - 1);
  const DataSize of_first = footprint_.of(calls), of_last = footprint_.of(end);
  calls.insert(calls.end(), end.begin(), end.end());
  const DataSize of_both = footprint_.of(calls);
  const auto shared = [&](__int128 first, __int128 last, __int128 both) {
    const __int128 common = first + last - both;
    return (both - common) * trips / 2 + common;
  };
  return {shared(of_first.elements, of_last.elements, of_both.elements),
          shared(of_first.bytes, of_last.bytes, of_both.bytes)};
}

}  // namespace

Result<std::vector<Dependence>> dependences(const ScheduledNest& nest) {
  const std::vector<TouchedTensor>& tensors = nest.touches.tensors;
  try {
    const ClosedForms forms(nest);
    std::vector<Dependence> found;
    for (int source = 0; source < std::ssize(tensors); ++source) {
      for (int target = 0; target < std::ssize(tensors); ++target) {
        if (tensors[source].name != tensors[target].name) continue;
        for (std::size_t level = 0; level < nest.levels.size(); ++level) {
          if (const auto next = forms.find(source, target, level)) found.push_back(*next);
        }
      }
    }
    return found;
  } catch (const std::overflow_error& error) {
    return Result<std::vector<Dependence>>::misfit(fmt::format("the nest has no closed form: {}", error.what()));
  }
}

}  // namespace brickwork
