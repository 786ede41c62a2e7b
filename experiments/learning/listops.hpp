// Expressions of ListOps (Nangia and Bowman, arXiv 1804.06028): nested operations on digits, whose value is a digit
// again. The value of [MAX 2 9 [MIN 4 7 ] 0 ] is 9.
#pragma once
#include <cstdint>
#include <vector>

#include "experiments/learning/random.hpp"

namespace brickwork {

// The digits 0 to 9 are their own tokens. An operation and its opening bracket are one token.
enum ListOpsToken : std::int32_t {
  kMaximum = 10,
  kMinimum,
  kMedian,  // of an even number of arguments: the mean of the middle two, rounded down
  kSum,     // modulo 10
  kClosing,
  kListOpsTokens,
  kListOpsDigits = kMaximum
};

inline constexpr std::uint32_t kFewestListOpsArguments = 2, kMostListOpsArguments = 5;

// A digit, or an operation with its arguments up to its closing bracket.
using ListOpsExpression = std::vector<std::int32_t>;

// Draws an expression of this depth: the number of operations within each other. Operations, digits and the number of
// arguments are uniform. One argument, at a random place, has the depth that is left. Each other one is a digit, or
// with probability 1/4 an operation of any smaller depth. (An expression of depth 0 is a digit.)
ListOpsExpression draw_listops(int depth, Random&);

std::int32_t listops_value(const ListOpsExpression&);

}  // namespace brickwork
