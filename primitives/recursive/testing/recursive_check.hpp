// Compares a driver of recursive models with the definition, for tests.
#pragma once
#include <string>
#include <vector>

#include "primitives/op/compare.hpp"
#include "primitives/op/plain_tensors.hpp"
#include "primitives/recursive/op/cell.hpp"
#include "primitives/recursive/recursive.hpp"
#include "primitives/recursive/structures/forest.hpp"

namespace brickwork {

struct RecursiveCase {
  const Cell* cell;
  std::int64_t H;
  Forest forest;
  RecursiveUse use = RecursiveUse::training;
};

struct RecursiveResults {
  PlainTensors states, gradients;  // gradients: training only
};

// Random inputs, weights and upstream gradients of a case, in f64.
PlainTensors random_tensors(const RecursiveCase&, const std::string& seed);

RecursiveResults defined(const RecursiveCase&, const PlainTensors& in);  // f64

// `in` is f32. The driver first runs on `before`, other structures, whose values must not show.
RecursiveResults driven(const RecursiveCase&, const PlainTensors& in, Recursive&, const Forest& before);

// Why the driver's results are wrong, in one sentence; empty if they are right. On any target: inference.
std::string recursive_mistake(const RecursiveCase&, const RecursivePlan&, const RecursiveTarget&);
std::string recursive_mistake(const RecursiveCase&, const RecursivePlan&, Backend = Backend::simd, Isa = Isa::best);

}  // namespace brickwork
