// Temporaries of a stage's tapes share memory: few rows that stay in L1.
#pragma once
#include "primitives/recursive/lowering/program.hpp"

namespace brickwork {

// Gives temporaries the number of one that is no longer read, and returns how many there are.
int share_temporaries(Stage&);

}  // namespace brickwork
