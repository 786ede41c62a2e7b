// Where a recursive model runs and keeps its tensors: on the host (host/recursive_on_host.hpp) or on a device.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "kernels/base/result.hpp"
#include "primitives/recursive/body/recursive_body.hpp"
#include "primitives/tensors/target_array.hpp"

namespace brickwork {

// The shapes of the calls that RecursiveBricks are for; m = 0: there are none of this kind.
struct RecursiveShapes {
  BrgemmShape weights, few, matrix, last_matrix, matrix_transposed;
};

// A bound program with its sizes.
struct RecursiveRun {
  RecursiveGeometry g;
  BoundProgram program;
  LevelArrays levels;
  std::int64_t scratch_size = 0;
  bool persist =
      true;  // all phases in one launch, in which each thread or team keeps its part; else one for each phase
};

struct RecursivePasses {
  std::string isa;
  std::function<void(const RecursiveRun&)> run;
};

class RecursiveTarget : public MemoryTarget {
 public:
  virtual std::int64_t shares() const = 0;  // threads or teams
  // Refused if there is no brick for a shape.
  virtual Result<RecursivePasses> passes(const RecursiveShapes&) const = 0;
};

}  // namespace brickwork
