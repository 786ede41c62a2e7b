// The elements that a call of a driver's body touches, as data beside the driver's loops. Analyses of the nest
// (primitives/analysis/) read this declaration instead of the driver's code; recorded_touches_test.cpp proves for each
// driver that its declaration is what its body really touches.
//
// Example, the matrix product C[m][n] += A[m][k] * B[k][n] in calls of bm x bn x bk:
//
//   loops:   mb, nb, kb (a reduction)
//   axes:    m = {size M, loop mb, block bm}, n = {N, nb, bn}, k = {K, kb, bk}
//   tensors: A read [m][k], B read [k][n], C reduced [m][n]
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "primitives/nest/loop_nest.hpp"

namespace brickwork {

// One direction of the points that calls cover. Iteration i of the loop covers the points i * block to
// (i + 1) * block - 1, without those from `size` on.
struct Axis {
  static constexpr int kNoLoop = -1;  // each call covers all points

  std::string name;
  std::int64_t size = 1;
  int loop = kNoLoop;      // index in NestTouches::loops
  std::int64_t block = 1;  // points of one iteration
};

// One index of a tensor: offset + the sum of the axes' points times their factors. A call touches no element for points
// whose index is below 0 or not below `size`: padding that is not stored.
struct TouchedIndex {
  struct Term {
    int axis;  // index in NestTouches::axes
    std::int64_t factor = 1;
  };

  std::vector<Term> terms;
  std::int64_t offset = 0;
  std::int64_t size = 1;
};

enum class Touch {
  read,
  write,
  reduce  // adds to the element: reads it, except in the first call for the element, and writes it
};

// Tensors of one name are one tensor that a call touches in several ways.
struct TouchedTensor {
  std::string name;
  Touch touch = Touch::read;
  std::vector<TouchedIndex> index;  // the last one has neighbours in memory
  bool at_last = false;    // only in calls that have the last iterations of all reductions: an epilogue's operands
  std::int64_t bytes = 4;  // of an element
};

struct NestTouches {
  std::vector<Loop> loops;
  std::vector<Axis> axes;
  std::vector<TouchedTensor> tensors;
};

// What is wrong with the declaration, in one sentence; empty if nothing is. An axis may occur once in a tensor, a loop
// in one axis, factors and sizes are positive, an index takes values below 2^60, a tensor has at most 2^62 bytes, and
// tensors of one name have equal sizes and bytes.
std::string misdeclared(const NestTouches&);

// The points of an axis that a call with these iterations of its loop covers.
LoopRange points_of(const Axis&, const LoopRange& iterations);

}  // namespace brickwork
