// How a plan goes over memory, as a word of its text.
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
