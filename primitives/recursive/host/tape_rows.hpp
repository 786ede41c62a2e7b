// Runs a tape on rows of nodes and edges, by vectors.
#pragma once
#include <cstdint>

#include "primitives/recursive/body/recursive_body.hpp"

namespace brickwork {

void run_tape(const BoundInstruction* tape, std::int32_t count, const TapeRows&);

struct TapeByVectors {
  template <class Team>
  void operator()(const Team&, const BoundInstruction* tape, std::int32_t count, const TapeRows& rows) const {
    run_tape(tape, count, rows);
  }
};

}  // namespace brickwork
