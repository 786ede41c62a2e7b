// The word of a plan's text that says how the plan goes over memory (kernels/layout/sweep.hpp).
#pragma once
#include <iterator>

#include "kernels/layout/sweep.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

template <class Plan>
Word<Plan> sweep_word(Sweep Plan::*member) {
  return choice("cached, stream or stream-l2", {std::begin(kSweeps), std::end(kSweeps)}, member);
}

}  // namespace brickwork
