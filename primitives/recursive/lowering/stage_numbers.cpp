#include "primitives/recursive/lowering/stage_numbers.hpp"

#include <algorithm>
#include <utility>

namespace brickwork {
namespace {

using Kind = ExprKind;

constexpr int kMostGathered = 3;  // operations that are cheaper to repeat for an operand than to meet for

}  // namespace

StageNumbers::StageNumbers(const ExprGraph& g, const std::vector<int>& outputs, bool fuse,
                           std::function<bool(int)> made_before)
    : g_(g),
      fuse_(fuse),
      made_before_(std::move(made_before)),
      number_(static_cast<std::size_t>(g.size())),
      uses_(static_cast<std::size_t>(g.size()), 0) {
  for (const int e : outputs) {
    last_ = std::max(last_, find_number(e));
    ++uses_[static_cast<std::size_t>(e)];
  }
  for (const int e : outputs) find_crossings(e);
}

bool StageNumbers::is_made_before(int e) const {
  return g_[e].kind <= Kind::each || g_[e].kind == Kind::kept || made_before_(e);
}

// Operations to make e from what is given, if they need no product, no curve and no gradient.
std::optional<int> StageNumbers::operations(int e) const {
  const ExprNode& node = g_[e];
  if (is_made_before(e)) return 0;
  const bool curve = node.kind == Kind::sigmoid || node.kind == Kind::tanh;
  if (is_product(node.kind) || curve || node.kind == Kind::upstream || node.kind == Kind::outer) return {};
  int sum = 1;
  for (const int arg : {node.a, node.b}) {
    if (arg < 0) continue;
    const auto of_arg = operations(arg);
    if (!of_arg) return {};
    sum += *of_arg;
  }
  return sum;
}

bool StageNumbers::is_gathered(int e) const {
  if (!fuse_) return is_made_before(e);
  const auto all = operations(e);
  return all && *all <= kMostGathered;
}

bool StageNumbers::is_read_in_memory(const ExprNode& node, int arg) {
  const bool matrix = node.kind == Kind::times_matrix || node.kind == Kind::times_matrix_transposed;
  return (matrix && arg == node.b) || (node.kind == Kind::outer && arg == node.a);
}

bool StageNumbers::is_made_earlier(const ExprNode& node, int arg) const {
  if (is_made_before(arg)) return false;
  return !fuse_ || is_read_in_memory(node, arg) || (is_product(node.kind) && !is_gathered(arg));
}

int StageNumbers::find_number(int e) {
  auto& number = number_[static_cast<std::size_t>(e)];
  if (number) return *number;
  const ExprNode& node = g_[e];
  const bool before = is_made_before(e);
  int stage = before ? kGiven : 0;
  for (const int arg : {node.a, node.b}) {
    if (before || arg < 0) continue;
    ++uses_[static_cast<std::size_t>(arg)];
    stage = std::max(stage, find_number(arg) + (is_made_earlier(node, arg) ? 1 : 0));
  }
  number = stage;
  return stage;
}

void StageNumbers::find_crossings(int e) {
  if (is_made_before(e) || !looked_at_.insert(e).second) return;
  for (const int arg : {g_[e].a, g_[e].b}) {
    if (arg < 0) continue;
    const bool kept = is_read_in_memory(g_[e], arg) || !is_gathered(arg);
    if (kept && !is_made_before(arg) && of(arg) < of(e)) crossings_.insert(arg);
    find_crossings(arg);
  }
}

}  // namespace brickwork
