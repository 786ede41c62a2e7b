#include "primitives/analysis/testing/brute_force.hpp"

#include <algorithm>
#include <bitset>
#include <map>
#include <string>

namespace brickwork {
namespace {

using Elements = std::bitset<kMostBruteForceElements>;

struct Visit {
  std::vector<std::int64_t> x;
  std::vector<Elements> elements;  // of each tensor
  bool exists = true;
};

// The iterations of a loop that iteration x of the nest has: those within the iterations of all levels of the loop.
std::vector<std::int64_t> iterations_of(const ScheduledNest& nest, int loop, const std::vector<std::int64_t>& x) {
  std::vector<std::int64_t> iterations;
  for (std::int64_t i = 0; i < nest.touches.loops[loop].extent; ++i) {
    std::int64_t begin = 0;
    bool inside = true;
    for (std::size_t l = 0; l < x.size(); ++l) {
      if (nest.levels[l].loop != loop) continue;
      begin += x[l] * nest.levels[l].step;
      inside = inside && begin <= i && i < begin + nest.levels[l].step;
    }
    if (inside) iterations.push_back(i);
  }
  return iterations;
}

std::vector<std::int64_t> points_covered(const ScheduledNest& nest, const Axis& axis,
                                         const std::vector<std::int64_t>& x) {
  std::vector<std::int64_t> points;
  for (std::int64_t point = 0; point < axis.size; ++point) {
    bool covered = axis.loop == Axis::kNoLoop;
    if (!covered) {
      for (const std::int64_t i : iterations_of(nest, axis.loop, x)) covered = covered || point / axis.block == i;
    }
    if (covered) points.push_back(point);
  }
  return points;
}

// The values within its size that an index takes in iteration x.
std::vector<std::int64_t> values_of(const ScheduledNest& nest, const TouchedIndex& index,
                                    const std::vector<std::int64_t>& x) {
  std::vector<std::int64_t> values{index.offset};
  for (const auto& [axis, factor] : index.terms) {
    std::vector<std::int64_t> sums;
    for (const std::int64_t value : values) {
      for (const std::int64_t point : points_covered(nest, nest.touches.axes[axis], x)) {
        sums.push_back(value + factor * point);
      }
    }
    values = sums;
  }
  std::erase_if(values, [&](std::int64_t value) { return value < 0 || value >= index.size; });
  return values;
}

Elements elements_of(const ScheduledNest& nest, const TouchedTensor& tensor, const std::vector<std::int64_t>& x) {
  for (std::size_t l = 0; tensor.at_last && l < nest.touches.loops.size(); ++l) {
    const auto& [name, extent, kind, ranged] = nest.touches.loops[l];
    if (kind != LoopKind::independent && iterations_of(nest, static_cast<int>(l), x).back() != extent - 1) return {};
  }
  std::vector<std::int64_t> places{0};
  for (const TouchedIndex& index : tensor.index) {
    std::vector<std::int64_t> further;
    for (const std::int64_t place : places) {
      for (const std::int64_t value : values_of(nest, index, x)) further.push_back(place * index.size + value);
    }
    places = further;
  }
  Elements elements;
  for (const std::int64_t place : places) elements.set(static_cast<std::size_t>(place));
  return elements;
}

// All iterations in lexicographic order.
std::vector<Visit> visits(const ScheduledNest& nest) {
  std::vector<Visit> visits{{}};
  for (const ScheduledLevel& level : nest.levels) {
    std::vector<Visit> further;
    for (const Visit& visit : visits) {
      for (std::int64_t x = 0; x < level.trips; ++x) further.emplace_back(visit).x.push_back(x);
    }
    visits = further;
  }
  for (Visit& visit : visits) {
    for (std::size_t l = 0; l < nest.touches.loops.size(); ++l) {
      visit.exists = visit.exists && !iterations_of(nest, static_cast<int>(l), visit.x).empty();
    }
    for (const TouchedTensor& tensor : nest.touches.tensors) {
      visit.elements.push_back(visit.exists ? elements_of(nest, tensor, visit.x) : Elements());
    }
  }
  return visits;
}

bool equal_before(const Visit& a, const Visit& b, std::size_t level) {
  return std::equal(a.x.begin(), a.x.begin() + static_cast<std::ptrdiff_t>(level), b.x.begin());
}

struct Size {
  std::int64_t elements = 0, bytes = 0;
};
using ByName = std::map<std::string, Elements>;

Size size_of(const ScheduledNest& nest, const ByName& touched) {
  Size size;
  for (const auto& [name, elements] : touched) {
    const auto tensor = std::ranges::find(nest.touches.tensors, name, &TouchedTensor::name);
    size.elements += static_cast<std::int64_t>(elements.count());
    size.bytes += static_cast<std::int64_t>(elements.count()) * tensor->bytes;
  }
  return size;
}

template <class Chosen>
ByName touched(const ScheduledNest& nest, const std::vector<Visit>& visits, const Chosen& chosen) {
  ByName touched;
  for (const Visit& visit : visits) {
    if (!chosen(visit)) continue;
    for (std::size_t t = 0; t < visit.elements.size(); ++t) {
      touched[nest.touches.tensors[t].name] |= visit.elements[t];
    }
  }
  return touched;
}

Size over_threads(const ScheduledNest& nest, const std::vector<Visit>& all, const Visit& source, std::size_t level,
                  std::int64_t last) {
  const auto at = [&](std::int64_t x) {
    return touched(nest, all, [&](const Visit& v) { return equal_before(v, source, level) && v.x[level] == x; });
  };
  ByName both, common;
  for (const auto& [name, elements] : at(0)) both[name] |= elements;
  for (const auto& [name, elements] : at(last)) {
    common[name] = both[name] & elements;
    both[name] |= elements;
  }
  const Size u = size_of(nest, both), c = size_of(nest, common);
  return {(u.elements - c.elements) * (last + 1) / 2 + c.elements, (u.bytes - c.bytes) * (last + 1) / 2 + c.bytes};
}

DependenceKind expected_kind(Touch source, Touch target) {
  const bool writes = source != Touch::read, reads = target != Touch::write;
  if (writes) return reads ? DependenceKind::raw : DependenceKind::waw;
  return target == Touch::read ? DependenceKind::rar : DependenceKind::war;
}

}  // namespace

std::vector<Dependence> dependences_by_brute_force(const ScheduledNest& nest) {
  const std::vector<Visit> all = visits(nest);
  const std::vector<TouchedTensor>& tensors = nest.touches.tensors;
  std::vector<Dependence> found;
  const auto add = [&](std::size_t source, std::size_t target, std::size_t level) {
    for (std::size_t src = 0; src < all.size(); ++src) {
      std::vector<std::size_t> later;
      for (std::size_t y = src + 1; y < all.size(); ++y) {
        if (equal_before(all[y], all[src], level) && all[y].x[level] > all[src].x[level] &&
            (all[src].elements[source] & all[y].elements[target]).any()) {
          later.push_back(y);
        }
      }
      if (later.empty()) continue;
      std::int64_t last = 0;
      for (const Visit& v : all) {
        if (v.exists && equal_before(v, all[src], level)) last = std::max(last, v.x[level]);
      }
      const auto between = [&](std::size_t t) {
        return size_of(nest, touched(nest, all, [&](const Visit& v) {
                         return v.x >= all[src].x && v.x <= all[t].x && v.x[level] != last;
                       }));
      };
      const bool parallel = nest.levels[level].parallel;
      const Size nearest = parallel ? over_threads(nest, all, all[src], level, last) : between(later.front());
      const Size farthest = parallel ? nearest : between(later.back());
      found.push_back({expected_kind(tensors[source].touch, tensors[target].touch), static_cast<int>(source),
                       static_cast<int>(target), static_cast<int>(level), parallel, nearest.elements, farthest.elements,
                       nearest.bytes, farthest.bytes});
      return;
    }
  };
  for (std::size_t source = 0; source < tensors.size(); ++source) {
    for (std::size_t target = 0; target < tensors.size(); ++target) {
      for (std::size_t level = 0; level < nest.levels.size(); ++level) {
        if (tensors[source].name == tensors[target].name) add(source, target, level);
      }
    }
  }
  return found;
}

}  // namespace brickwork
