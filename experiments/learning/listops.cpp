#include "experiments/learning/listops.hpp"

#include <algorithm>
#include <numeric>

namespace brickwork {
namespace {

void append_random(ListOpsExpression& to, int depth, Random& random) {
  if (depth == 0) {
    to.push_back(static_cast<std::int32_t>(random.below(kListOpsDigits)));
    return;
  }
  to.push_back(static_cast<std::int32_t>(kMaximum + random.below(kClosing - kMaximum)));
  const std::uint32_t arguments =
      kFewestListOpsArguments + random.below(kMostListOpsArguments - kFewestListOpsArguments + 1);
  const std::uint32_t deepest = random.below(arguments);
  for (std::uint32_t i = 0; i < arguments; ++i) {
    const bool nested = depth > 1 && random.below(4) == 0;
    const int other = nested ? 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(depth - 1))) : 0;
    append_random(to, i == deepest ? depth - 1 : other, random);
  }
  to.push_back(kClosing);
}

std::int32_t applied(std::int32_t operation, std::vector<std::int32_t> arguments) {
  std::ranges::sort(arguments);
  const std::size_t count = arguments.size();
  switch (operation) {
    case kMaximum:
      return arguments.back();
    case kMinimum:
      return arguments.front();
    case kMedian:
      return (arguments[(count - 1) / 2] + arguments[count / 2]) / 2;
    default:
      return std::accumulate(arguments.begin(), arguments.end(), 0) % kListOpsDigits;
  }
}

}  // namespace

ListOpsExpression draw_listops(int depth, Random& random) {
  ListOpsExpression made;
  append_random(made, depth, random);
  return made;
}

std::int32_t listops_value(const ListOpsExpression& expression) {
  struct Open {
    std::int32_t operation;
    std::vector<std::int32_t> arguments;
  };
  std::vector<Open> open{{}};  // the first one holds the value of the whole
  for (const std::int32_t token : expression) {
    if (token == kClosing) {
      const std::int32_t value = applied(open.back().operation, open.back().arguments);
      open.pop_back();
      open.back().arguments.push_back(value);
    } else if (token >= kMaximum) {
      open.push_back({token, {}});
    } else {
      open.back().arguments.push_back(token);
    }
  }
  return open.front().arguments.front();
}

}  // namespace brickwork
