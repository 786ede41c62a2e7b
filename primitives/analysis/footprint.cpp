#include "primitives/analysis/footprint.hpp"

#include <algorithm>
#include <map>
#include <numeric>

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
    : nest_(nest), indices_(nest.touches.tensors.size()), loops_(indices_.size()), last_calls_(last_calls_of(nest)) {
  std::map<std::string_view, std::vector<int>> by_name;
  for (int t = 0; t < std::ssize(nest.touches.tensors); ++t) by_name[nest.touches.tensors[t].name].push_back(t);
  for (const auto& [name, tensors] : by_name) {
    for (std::size_t i = 0; i < nest.touches.tensors[tensors.front()].index.size(); ++i) normalise(tensors, i);
    same_name_.push_back(tensors);
  }
  for (int t = 0; t < std::ssize(nest.touches.tensors); ++t) note_loops(t);
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

void Footprint::note_loops(int tensor) {
  const NestTouches& touches = nest_.touches;
  for (const Index& index : indices_[tensor]) {
    for (const auto& [axis, factor] : index.terms) {
      if (touches.axes[axis].loop != Axis::kNoLoop) loops_[tensor][touches.axes[axis].loop] = true;
    }
  }
  for (std::size_t l = 0; touches.tensors[tensor].at_last && l < touches.loops.size(); ++l) {
    if (touches.loops[l].kind != LoopKind::independent) loops_[tensor][l] = true;
  }
}

LoopRange Footprint::touching(int tensor, int loop, const LoopRange& range) const {
  const Loop& declared = nest_.touches.loops[loop];
  if (!nest_.touches.tensors[tensor].at_last || declared.kind == LoopKind::independent) return range;
  return range.size() <= 0 || range.end < declared.extent ? LoopRange{} : last_calls_[loop];
}

IntegerSet Footprint::values(int tensor, std::size_t index, const Calls& touching) const {
  const auto& [terms, offset, within] = indices(tensor)[index];
  IntegerSet values({offset, offset + 1});
  for (const auto& [axis, factor] : terms) {
    const Axis& declared = nest_.touches.axes[axis];
    values.add_multiples(factor,
                         points_of(declared, declared.loop == Axis::kNoLoop ? LoopRange{} : touching[declared.loop]));
  }
  values.cut_to(within);
  return values;
}

std::optional<Product> Footprint::of(int tensor, const Calls& calls) const {
  Calls touching_it;
  for (int loop = 0; loop < std::ssize(nest_.touches.loops); ++loop) {
    touching_it[loop] = touching(tensor, loop, calls[loop]);
    if (touching_it[loop].size() <= 0) return std::nullopt;
  }
  Product product;
  product.reserve(indices(tensor).size());
  for (std::size_t index = 0; index < indices(tensor).size(); ++index) {
    product.push_back(values(tensor, index, touching_it));
    if (product.back().empty()) return std::nullopt;
  }
  return product;
}

bool Footprint::covers(const Calls& larger, const Calls& smaller, int tensor) const {
  for (std::size_t l = 0; l < nest_.touches.loops.size(); ++l) {
    if (loops_[tensor][l] && (smaller[l].begin < larger[l].begin || smaller[l].end > larger[l].end)) return false;
  }
  return true;
}

DataSize Footprint::of(std::span<const Calls> boxes) const {
  DataSize size;
  for (const std::vector<int>& tensors : same_name_) {
    std::vector<Product> products;
    for (const int tensor : tensors) {
      std::vector<const Calls*> counted;
      for (auto calls = boxes.rbegin(); calls != boxes.rend(); ++calls) {  // calls_between() puts large ones last
        if (std::ranges::any_of(counted, [&](const Calls* other) { return covers(*other, *calls, tensor); })) continue;
        counted.push_back(&*calls);
        if (auto product = of(tensor, *calls)) products.push_back(*std::move(product));
      }
    }
    const std::int64_t elements = size_of_union(std::move(products));
    size.elements += elements;
    size.bytes += __int128{elements} * nest_.touches.tensors[tensors.front()].bytes;
  }
  return size;
}

}  // namespace brickwork
