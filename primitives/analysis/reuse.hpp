// Which iterations use an element again.
#pragma once
#include <optional>

#include "primitives/analysis/footprint.hpp"

namespace brickwork {

// The first iteration that touches an element which a later one, on the same iteration of all levels outside a level
// and another one of the level, touches again; and the nearest and the farthest of those later ones.
struct Reuse {
  Iteration first{}, nearest{}, farthest{};
};

// Between the elements of the tensor `source` in the first iteration and those of `target`, of the same name, in the
// later one. nullopt: no element is used again.
std::optional<Reuse> find_reuse(const Footprint&, int source, int target, std::size_t level);

}  // namespace brickwork
