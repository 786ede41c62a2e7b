#include "primitives/analysis/footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

bool contains(const Product& a, const Product& b) {
  return std::ranges::equal(a, b, [](const IntegerSet& x, const IntegerSet& y) { return x.contains(y); });
}

// Of the products that `chosen` lists, the sets from `index` on.
std::int64_t size_from(const std::vector<Product>& products, const std::vector<int>& chosen, std::size_t index) {
  const auto set = [&](int product) -> const IntegerSet& { return products[product][index]; };
  if (index == products.front().size()) return 1;
  if (std::ranges::all_of(chosen, [&](int p) { return set(p) == set(chosen.front()); })) {
    return set(chosen.front()).size() * size_from(products, chosen, index + 1);
  }
  // Between neighbouring ends of intervals the same products hold all integers.
  std::vector<std::int64_t> ends;
  for (const int p : chosen) {
    for (const LoopRange& interval : set(p).intervals()) {
      ends.push_back(interval.begin);
      ends.push_back(interval.end);
    }
  }
  std::ranges::sort(ends);
  std::map<std::vector<int>, std::int64_t> integers;  // by the products that hold them
  for (std::size_t i = 1; i < ends.size(); ++i) {
    if (ends[i] == ends[i - 1]) continue;
    std::vector<int> holding;
    for (const int p : chosen) {
      if (set(p).contains(IntegerSet({ends[i - 1], ends[i]}))) holding.push_back(p);
    }
    if (!holding.empty()) integers[holding] += ends[i] - ends[i - 1];
  }
  std::int64_t size = 0;
  for (const auto& [holding, count] : integers) size += count * size_from(products, holding, index + 1);
  return size;
}

// The calls of the last iterations of all loops.
Calls last_calls_of(const ScheduledNest& nest) {
  Calls calls;
  for (std::size_t l = 0; l < nest.touches.loops.size(); ++l) calls[l] = {0, nest.touches.loops[l].extent};
  for (const auto& [loop, step, trips, parallel] : nest.levels) {
    calls[loop].begin += (ceil_div(calls[loop].size(), step) - 1) * step;
  }
  return calls;
}

}  // namespace

std::int64_t size_of_union(std::vector<Product> products) {
  std::vector<Product> largest;
  for (Product& product : products) {
    if (std::ranges::any_of(largest, [&](const Product& other) { return contains(other, product); })) continue;
    std::erase_if(largest, [&](const Product& other) { return contains(product, other); });
    largest.push_back(std::move(product));
  }
  if (largest.empty()) return 0;
  std::vector<int> all(largest.size());
  std::iota(all.begin(), all.end(), 0);
  return size_from(largest, all, 0);
}

Footprint::Footprint(const ScheduledNest& nest)
    : nest_(nest), indices_(nest.touches.tensors.size()), last_calls_(last_calls_of(nest)) {
  std::map<std::string_view, std::vector<int>> by_name;
  for (int t = 0; t < std::ssize(nest.touches.tensors); ++t) by_name[nest.touches.tensors[t].name].push_back(t);
  for (const auto& [name, tensors] : by_name) {
    for (std::size_t i = 0; i < nest.touches.tensors[tensors.front()].index.size(); ++i) normalise(tensors, i);
    same_name_.push_back(tensors);
  }
}

// Divides an index by what divides all differences between its values, so that a stride becomes an interval. An axis of
// one point adds nothing.
void Footprint::normalise(std::span<const int> tensors, std::size_t index) {
  const std::int64_t first = nest_.touches.tensors[tensors.front()].index[index].offset;
  std::int64_t divisor = 0;
  for (const int t : tensors) {
    const TouchedIndex& declared = nest_.touches.tensors[t].index[index];
    divisor = std::gcd(divisor, declared.offset - first);
    Index& own = indices_[t].emplace_back();
    for (const auto& [axis, factor] : declared.terms) {
      if (nest_.touches.axes[axis].size > 1) own.terms.push_back({axis, factor});
    }
    std::ranges::sort(own.terms, {}, &Term::factor);
    for (const Term& term : own.terms) divisor = std::gcd(divisor, term.factor);
  }
  divisor = std::max(divisor, std::int64_t{1});
  for (const int t : tensors) {
    const TouchedIndex& declared = nest_.touches.tensors[t].index[index];
    Index& own = indices_[t].back();
    for (Term& term : own.terms) term.factor /= divisor;
    own.offset = (declared.offset - first) / divisor;
    own.within = {-floor_div(first, divisor), floor_div(declared.size - 1 - first, divisor) + 1};
  }
}

std::optional<Product> Footprint::of(int tensor, const Calls& calls) const {
  const NestTouches& touches = nest_.touches;
  Calls touching = calls;
  if (touches.tensors[tensor].at_last) {
    for (std::size_t l = 0; l < touches.loops.size(); ++l) {
      if (touches.loops[l].kind == LoopKind::independent) continue;
      if (calls[l].end < touches.loops[l].extent) return std::nullopt;
      touching[l] = last_calls_[l];
    }
  }
  Product product;
  std::vector<IntegerSet::Term> terms;
  for (const Index& index : indices(tensor)) {
    terms.clear();
    for (const auto& [axis, factor] : index.terms) {
      const Axis& declared = touches.axes[axis];
      const LoopRange iterations = declared.loop == Axis::kNoLoop ? LoopRange{} : touching[declared.loop];
      terms.push_back({factor, points_of(declared, iterations)});
    }
    product.push_back(IntegerSet::of_sums(index.offset, terms, index.within));
    if (product.back().empty()) return std::nullopt;
  }
  return product;
}

DataSize Footprint::of(std::span<const Calls> boxes) const {
  DataSize size;
  for (const std::vector<int>& tensors : same_name_) {
    std::vector<Product> products;
    for (const int tensor : tensors) {
      for (const Calls& calls : boxes) {
        if (auto product = of(tensor, calls)) products.push_back(*std::move(product));
      }
    }
    const std::int64_t elements = size_of_union(std::move(products));
    size.elements += elements;
    size.bytes += __int128{elements} * nest_.touches.tensors[tensors.front()].bytes;
  }
  return size;
}

}  // namespace brickwork
