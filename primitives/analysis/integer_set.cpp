#include "primitives/analysis/integer_set.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace brickwork {
namespace {

LoopRange common(const LoopRange& a, const LoopRange& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace

IntegerSet::IntegerSet(std::vector<LoopRange> intervals) {
  std::ranges::sort(intervals, {}, &LoopRange::begin);
  std::size_t joined = 0;
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    if (intervals[i].begin <= intervals[joined].end) {
      intervals[joined].end = std::max(intervals[joined].end, intervals[i].end);
    } else {
      intervals[++joined] = intervals[i];
    }
  }
  if (intervals.size() > 1) intervals.resize(joined + 1);
  if (intervals.size() == 1) {
    one_ = intervals.front();
  } else {
    many_ = std::move(intervals);
  }
}

void IntegerSet::add_multiples(std::int64_t factor, const LoopRange& range) {
  if (many_.empty() && (range.size() == 1 || one_.size() >= factor)) {
    one_ = {one_.begin + factor * range.begin, one_.end + factor * (range.end - 1)};
    return;
  }
  const auto old = intervals();
  if (range.size() > static_cast<std::int64_t>(kMostIntervals / old.size())) {
    throw std::overflow_error("the values of an index fall into more than 65536 intervals");
  }
  std::vector<LoopRange> copies;
  copies.reserve(old.size() * static_cast<std::size_t>(range.size()));
  for (std::int64_t k = range.begin; k < range.end; ++k) {
    for (const LoopRange& interval : old) copies.push_back({interval.begin + factor * k, interval.end + factor * k});
  }
  *this = IntegerSet(std::move(copies));
}

void IntegerSet::cut_to(const LoopRange& within) {
  if (many_.empty()) {
    one_ = common(one_, within);
    return;
  }
  std::vector<LoopRange> left;
  for (const LoopRange& interval : many_) {
    if (const LoopRange cut = common(interval, within); cut.size() > 0) left.push_back(cut);
  }
  *this = IntegerSet(std::move(left));
}

std::int64_t IntegerSet::size() const {
  std::int64_t size = 0;
  for (const LoopRange& interval : intervals()) size += interval.size();
  return size;
}

bool IntegerSet::meets(const IntegerSet& other) const {
  const auto a = intervals(), b = other.intervals();
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (common(a[i], b[j]).size() > 0) return true;
    a[i].end < b[j].end ? ++i : ++j;
  }
  return false;
}

bool IntegerSet::contains(const IntegerSet& other) const {
  const auto a = intervals();
  std::size_t i = 0;
  for (const LoopRange& part : other.intervals()) {
    while (i < a.size() && a[i].end < part.end) ++i;
    if (i == a.size() || a[i].begin > part.begin) return false;
  }
  return true;
}

bool operator==(const IntegerSet& a, const IntegerSet& b) { return a.contains(b) && b.contains(a); }

}  // namespace brickwork
