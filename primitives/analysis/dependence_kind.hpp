// The kind of a dependence.
#pragma once
#include "primitives/analysis/working_sets.hpp"

namespace brickwork {

// A reduction reads and writes. Its kind is that which orders the two iterations: it is a write for a later one, and
// reads what an earlier one wrote.
inline DependenceKind kind_of(Touch source, Touch target) {
  if (source == Touch::read) return target == Touch::read ? DependenceKind::rar : DependenceKind::war;
  return target == Touch::write ? DependenceKind::waw : DependenceKind::raw;
}

}  // namespace brickwork
