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

// Inputs, weights and upstream gradients of a case.
std::vector<TensorInfo> recursive_inputs(const RecursiveCase&);

// A driver that takes the case's nodes. Throws std::logic_error with the reason if there is none.
Recursive recursive_driver(const RecursiveCase&, const RecursivePlan&, Backend = Backend::simd, Isa = Isa::best);

// The results of a driver on `in`, which is f32. The driver first runs on NaN over other structures, `before`, so that
// a value shows which it reads and has not written, and then twice on `in`, so that it shows if the second run adds to
// the first.
RecursiveResults driven(const RecursiveCase&, const PlainTensors& in, Recursive&, const Forest& before);
RecursiveResults driven(const RecursiveCase&, const PlainTensors& in, Recursive&);  // over two sequences of three

// A case with random inputs, and its results by the definition.
class RecursiveCheck {
 public:
  explicit RecursiveCheck(const RecursiveCase&, const std::string& seed = "recursive");

  // What is wrong, in one sentence; empty if all is right.
  std::string difference(const RecursiveResults& found) const;
  std::string mistake(const RecursivePlan&, Backend = Backend::simd, Isa = Isa::best) const;

  const RecursiveCase& of() const { return case_; }
  const PlainTensors& in() const { return in_; }  // f32

 private:
  const RecursiveCase case_;
  PlainTensors in_;
  RecursiveResults right_;  // f64
};

// As RecursiveCheck::mistake().
std::string recursive_mistake(const RecursiveCase&, const RecursivePlan&, Backend = Backend::simd, Isa = Isa::best);
std::string recursive_mistake(const RecursiveCase&, const RecursivePlan&, const RecursiveTarget&);  // inference

}  // namespace brickwork
