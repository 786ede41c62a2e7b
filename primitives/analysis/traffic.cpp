#include "primitives/analysis/traffic.hpp"

#include <algorithm>
#include <cmath>

#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

// The distinct values of an index over boxes of its axes' points: exact for one axis and for windows, an upper bound for
// more axes. With `skipped` also the values between them.
double values_of(const TouchedIndex& index, const std::vector<LoopRange>& points, bool skipped) {
  std::int64_t least = index.offset, most = index.offset;
  double count = 1;
  std::int64_t smallest = 0;  // of the factors of axes with several points
  for (const auto& [axis, factor] : index.terms) {
    const LoopRange& range = points[static_cast<std::size_t>(axis)];
    if (range.size() == 0) return 0;
    least += factor * range.begin, most += factor * (range.end - 1);
    count *= static_cast<double>(range.size());
    if (range.size() > 1) smallest = smallest == 0 ? factor : std::min(smallest, factor);
  }
  const std::int64_t inside = std::min(most, index.size - 1) - std::max<std::int64_t>(least, 0) + 1;
  if (inside <= 0) return 0;
  if (skipped) return static_cast<double>(inside);
  const double share = static_cast<double>(inside) / static_cast<double>(most - least + 1);
  const double span = static_cast<double>(inside) / static_cast<double>(std::max<std::int64_t>(smallest, 1));
  return std::min(std::ceil(span), count * share);
}

// The points of all axes while the levels from `fixed` on run through their iterations, in the middle of the others.
class Footprints {
 public:
  Footprints(const ScheduledNest& nest, const RegisterTile& tile) : nest_(nest), tile_(tile) {
    for (const ScheduledLevel& level : nest.levels) middle_.push_back((level.trips - 1) / 2);
    points_.resize(nest.touches.axes.size());
  }

  // Bytes of each tensor. fixed = levels + 1 is a register tile of a call.
  std::vector<double> at(std::size_t fixed) {
    for (std::size_t a = 0; a < points_.size(); ++a) {
      const Axis& axis = nest_.touches.axes[a];
      points_[a] = axis.loop == Axis::kNoLoop ? LoopRange{0, axis.size}
                                              : points_of(axis, nest_.iterations(axis.loop, middle_.data(), fixed));
      if (fixed > nest_.levels.size() && static_cast<int>(a) == tile_.axis) {
        points_[a].end = std::min(points_[a].end, points_[a].begin + tile_.points);
      }
    }
    std::vector<double> bytes;
    for (const TouchedTensor& tensor : nest_.touches.tensors) {
      double elements = static_cast<double>(tensor.bytes);
      // A tensor's last index is the one whose neighbours lie next to each other in memory. What a stride skips there
      // comes along, as lines are prefetched one after the other.
      for (const TouchedIndex& index : tensor.index) {
        elements *= values_of(index, points_, &index == &tensor.index.back());
      }
      bytes.push_back(elements);
    }
    return bytes;
  }

  const std::vector<LoopRange>& points() const { return points_; }

 private:
  const ScheduledNest& nest_;
  const RegisterTile& tile_;
  std::vector<std::int64_t> middle_;
  std::vector<LoopRange> points_;
};

// Mean numbers of trips of the levels: inner levels have fewer where the outer step does not divide the loop.
std::vector<double> mean_trips(const ScheduledNest& nest) {
  std::vector<double> trips;
  for (std::size_t l = 0; l < nest.levels.size(); ++l) {
    const ScheduledLevel& level = nest.levels[l];
    double left = static_cast<double>(nest.touches.loops[static_cast<std::size_t>(level.loop)].extent);
    bool outermost = true;
    for (std::size_t o = 0; o < l; ++o) {
      if (nest.levels[o].loop != level.loop) continue;
      left = std::min(left, static_cast<double>(nest.levels[o].trips * nest.levels[o].step)) /
             static_cast<double>(nest.levels[o].trips);
      outermost = false;
    }
    const auto most = static_cast<double>(level.trips);
    trips.push_back(outermost ? most : std::clamp(left / static_cast<double>(level.step), 1.0, most));
  }
  return trips;
}

// Shares of bytes that come from each place if `between` bytes were touched since. A cache keeps all of a working set
// that fills half of it and none of one twice its size; other data share it.
BytesByPlace shares_of_places(double between, const CacheHierarchy& caches) {
  BytesByPlace shares{};
  double left = 1;
  for (std::size_t place = 0; place + 1 < kPlaces; ++place) {
    const auto size = static_cast<double>(caches.bytes[place]);
    const double kept = size <= 0 ? 0 : std::clamp(0.5 - 0.5 * std::log2(between / size), 0.0, 1.0);
    shares[place] = left * kept;
    left -= shares[place];
  }
  shares[kPlaces - 1] = left;
  return shares;
}

void add(BytesByPlace& to, double bytes, const BytesByPlace& shares) {
  for (std::size_t place = 0; place < kPlaces; ++place) to[place] += bytes * shares[place];
}

double sum(const std::vector<double>& values) {
  double all = 0;
  for (const double value : values) all += value;
  return all;
}

BytesByPlace total(const std::vector<TensorTraffic>& tensors, BytesByPlace TensorTraffic::*member) {
  BytesByPlace all{};
  for (const TensorTraffic& tensor : tensors) {
    for (std::size_t place = 0; place < kPlaces; ++place) all[place] += (tensor.*member)[place];
  }
  return all;
}

}  // namespace

BytesByPlace Traffic::read() const { return total(of, &TensorTraffic::read); }
BytesByPlace Traffic::written() const { return total(of, &TensorTraffic::written); }

std::vector<std::vector<double>> touched_bytes(const ScheduledNest& nest) {
  const RegisterTile whole;
  Footprints footprints(nest, whole);
  std::vector<std::vector<double>> bytes;
  for (std::size_t fixed = 0; fixed <= nest.levels.size(); ++fixed) bytes.push_back(footprints.at(fixed));
  return bytes;
}

Traffic traffic(const ScheduledNest& nest, const CacheHierarchy& caches, const RegisterTile& tile) {
  const std::size_t levels = nest.levels.size();
  Footprints footprints(nest, tile);
  std::vector<double> trips = mean_trips(nest);
  std::vector<std::vector<double>> bytes;
  Traffic traffic;
  traffic.points = 1;
  for (std::size_t fixed = 0; fixed <= levels; ++fixed) {
    bytes.push_back(footprints.at(fixed));
    if (fixed > 0) continue;
    for (const LoopRange& points : footprints.points()) traffic.points *= static_cast<double>(points.size());
  }
  if (tile.axis != Axis::kNoLoop) {
    const auto rows = footprints.points()[static_cast<std::size_t>(tile.axis)].size();
    bytes.push_back(footprints.at(levels + 1));
    trips.push_back(static_cast<double>(ceil_div(rows, tile.points)));
  }
  traffic.calls = 1;
  for (std::size_t l = 0; l < levels; ++l) traffic.calls *= trips[l];
  traffic.all_bytes = sum(bytes[0]);
  traffic.of.resize(nest.touches.tensors.size());
  const auto give = [&](std::size_t t, double again, const BytesByPlace& shares) {
    const Touch touch = nest.touches.tensors[t].touch;
    if (touch != Touch::write) add(traffic.of[t].read, again, shares);
    if (touch != Touch::read) add(traffic.of[t].written, again, shares);
  };
  const BytesByPlace at_first = shares_of_places(traffic.all_bytes, caches);
  double executions = 1;
  for (std::size_t t = 0; t < traffic.of.size(); ++t) {
    traffic.of[t].once = bytes[0][t];
    give(t, bytes[0][t], at_first);
  }
  for (std::size_t l = 0; l < trips.size(); ++l) {
    const BytesByPlace shares = shares_of_places(sum(bytes[l + 1]), caches);
    for (std::size_t t = 0; t < traffic.of.size(); ++t) {
      give(t, executions * std::max(0.0, trips[l] * bytes[l + 1][t] - bytes[l][t]), shares);
    }
    executions *= trips[l];
  }
  return traffic;
}

}  // namespace brickwork
