// The steps of a pass over a minibatch: the stages of the leaves and of all levels, in order.
#pragma once
#include <cstdint>
#include <vector>

#include "primitives/recursive/body/recursive_body.hpp"
#include "primitives/recursive/lowering/program.hpp"
#include "primitives/recursive/structures/schedule.hpp"

namespace brickwork {

struct StepsOfRun {
  std::vector<Step> steps;
  std::vector<Some> phases;
};

// The stages of a program are numbered from those before all levels through those of leaves to those of inner nodes.
// Without `batches` each node is a level of its own.
StepsOfRun forward_steps(const Program&, const Levels&, StructureKind, Division, bool batches, std::int32_t threads);
StepsOfRun backward_steps(const Program&, const Levels&, bool batches);

}  // namespace brickwork
