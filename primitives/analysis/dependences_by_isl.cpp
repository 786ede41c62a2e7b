#include <fmt/format.h>

#include <limits>
#include <map>
#include <stdexcept>

#include "primitives/analysis/dependence_kind.hpp"
#include "primitives/analysis/isl_relations.hpp"
#include "primitives/analysis/working_sets.hpp"

namespace brickwork {
namespace {

using Point = std::vector<std::int64_t>;

class DependencesByIsl {
 public:
  DependencesByIsl(const ScheduledNest& nest, unsigned long most_operations)
      : context_(most_operations), nest_(nest), calls_(isl_calls(context_, nest)) {
    for (int t = 0; t < std::ssize(nest.touches.tensors); ++t) touches_.push_back(isl_touches(context_, nest, t));
  }

  std::vector<Dependence> all() const {
    std::vector<Dependence> found;
    for (int source = 0; source < std::ssize(touches_); ++source) {
      for (int target = 0; target < std::ssize(touches_); ++target) {
        if (nest_.touches.tensors[source].name != nest_.touches.tensors[target].name) continue;
        const isl::map common = touches_[source].apply_range(touches_[target].reverse());
        for (int level = 0; level < std::ssize(nest_.levels); ++level) {
          const isl::map pairs = common.intersect(carried_by(level));
          if (!pairs.is_empty()) found.push_back(dependence(source, target, level, pairs));
        }
      }
    }
    return found;
  }

 private:
  struct Size {
    std::int64_t elements = 0, bytes = 0;
  };
  using ElementsByName = std::map<std::string, std::pair<isl::set, std::int64_t>>;  // and the bytes of one

  isl::map carried_by(int level) const {
    std::string order = fmt::format("x{0} < y{0}", level);
    for (int l = 0; l < level; ++l) order += fmt::format(" and x{0} = y{0}", l);
    return context_.map(
        fmt::format("{{ {} -> {} : {} }}", isl_iteration(nest_, 'x'), isl_iteration(nest_, 'y'), order));
  }

  Dependence dependence(int source, int target, int level, const isl::map& pairs) const {
    const isl::set first = pairs.domain().lexmin(), later = first.apply(pairs);
    const Point at = isl_point(first);
    Dependence found{kind_of(nest_.touches.tensors[source].touch, nest_.touches.tensors[target].touch), source, target,
                     level, nest_.levels[level].parallel};
    const Size nearest = found.crosses_threads ? shared(at, level) : between(first, later.lexmin(), level);
    const Size farthest = found.crosses_threads ? nearest : between(first, later.lexmax(), level);
    found.nearest = nearest.elements, found.nearest_bytes = nearest.bytes;
    found.farthest = farthest.elements, found.farthest_bytes = farthest.bytes;
    return found;
  }

  // The iterations that satisfy a condition and stand at `at` on the levels outside this one.
  isl::set calls_where(const Point& at, int level, std::string condition) const {
    for (int l = 0; l < level; ++l) condition += fmt::format(" and x{} = {}", l, at[l]);
    return calls_.intersect(context_.set(fmt::format("{{ {} : {} }}", isl_iteration(nest_, 'x'), condition)));
  }

  std::int64_t last_iteration(const Point& at, int level) const {
    return isl_point(calls_where(at, level, "0 = 0").lexmax())[level];
  }

  Size between(const isl::set& from, const isl::set& to, int level) const {
    const isl::map not_after = isl::manage(isl_map_lex_le(isl_set_get_space(calls_.get())));
    const Point at = isl_point(from);
    const std::string not_last = fmt::format("x{} < {}", level, last_iteration(at, level));
    const isl::set calls = calls_where(at, level, not_last);
    return sum(elements_of(calls.intersect(from.apply(not_after)).intersect(to.apply(not_after.reverse()))));
  }

  Size shared(const Point& at, int level) const {
    const std::int64_t last = last_iteration(at, level);
    const ElementsByName of_first = elements_of(calls_where(at, level, fmt::format("x{} = 0", level)));
    const ElementsByName of_last = elements_of(calls_where(at, level, fmt::format("x{} = {}", level, last)));
    ElementsByName both, common;
    for (const auto& [name, elements] : of_first) {
      const isl::set other = of_last.at(name).first;
      both.emplace(name, std::pair(elements.first.unite(other), elements.second));
      common.emplace(name, std::pair(elements.first.intersect(other), elements.second));
    }
    const Size u = sum(both), c = sum(common);
    const auto formula = [&](std::int64_t all, std::int64_t shared) {
      return checked((static_cast<__int128>(all) - shared) * (last + 1) / 2 + shared);
    };
    return {formula(u.elements, c.elements), formula(u.bytes, c.bytes)};
  }

  ElementsByName elements_of(const isl::set& calls) const {
    ElementsByName elements;
    for (std::size_t t = 0; t < touches_.size(); ++t) {
      const TouchedTensor& tensor = nest_.touches.tensors[t];
      const isl::set touched = calls.apply(touches_[t]);
      const auto [place, is_new] = elements.try_emplace(tensor.name, touched, tensor.bytes);
      if (!is_new) place->second.first = place->second.first.unite(touched);
    }
    return elements;
  }

  static Size sum(const ElementsByName& elements) {
    __int128 count = 0, bytes = 0;
    for (const auto& [name, tensor] : elements) {
      const std::int64_t of_tensor = isl_count(tensor.first);
      count += of_tensor, bytes += static_cast<__int128>(of_tensor) * tensor.second;
    }
    return {checked(count), checked(bytes)};
  }

  static std::int64_t checked(__int128 size) {
    if (size > std::numeric_limits<std::int64_t>::max()) throw std::overflow_error("a working set exceeds 64 bits");
    return static_cast<std::int64_t>(size);
  }

  const IslContext context_;
  const ScheduledNest& nest_;
  const isl::set calls_;
  std::vector<isl::map> touches_;
};

}  // namespace

Result<std::vector<Dependence>> dependences_by_isl(const ScheduledNest& nest, unsigned long most_operations) {
  try {
    return DependencesByIsl(nest, most_operations).all();
  } catch (const isl::exception_quota&) {
    return Result<std::vector<Dependence>>::misfit(
        fmt::format("isl needs more than {} operations for the nest", most_operations));
  } catch (const std::exception& error) {
    return Result<std::vector<Dependence>>::misfit(fmt::format("isl cannot analyse the nest: {}", error.what()));
  }
}

}  // namespace brickwork
