// From where the calls of a nest get their data: for each tensor the bytes that come from L1, L2, L3 and memory.
//
// Outside-in, a level of the nest touches again what it has touched in its iteration before. Between the two touches
// lies one iteration of the level, so that these bytes come from the smallest cache that holds what an iteration
// touches, of all tensors. What the whole nest touches for the first time comes from the place that holds all of it, as
// measurements repeat the nest. Each byte that any call touches is counted once at the level that brings it back.
#pragma once
#include <array>
#include <vector>

#include "primitives/analysis/cache_hierarchy.hpp"
#include "primitives/analysis/scheduled_nest.hpp"

namespace brickwork {

// The brick cuts this axis of a call into register tiles of so many points. Each tile reads all other operands again.
struct RegisterTile {
  int axis = Axis::kNoLoop;
  std::int64_t points = 1;
};

using BytesByPlace = std::array<double, kPlaces>;

struct TensorTraffic {
  BytesByPlace read{}, written{};
  double once = 0;  // bytes of the nest's distinct elements
};

struct Traffic {
  std::vector<TensorTraffic> of;  // one for each of NestTouches::tensors
  double calls = 0;               // of the brick
  double points = 0;              // product of all axes' points, over all calls: the multiply-adds of a sum of products
  double all_bytes = 0;           // that the nest touches

  BytesByPlace read() const;
  BytesByPlace written() const;
};

// Bytes of each tensor that the levels from the i-th on touch, while the levels outside them stand in the middle: [i]
// for i up to the number of levels, whose element is a call.
std::vector<std::vector<double>> touched_bytes(const ScheduledNest&);

// The traffic of one thread: the nest is its share.
Traffic traffic(const ScheduledNest& of_a_thread, const CacheHierarchy&, const RegisterTile&);

}  // namespace brickwork
