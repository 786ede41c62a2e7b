// In which stage each expression is computed, and which expressions pass from one stage to a later one.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "primitives/recursive/op/expression.hpp"

namespace brickwork {

// A product reads all features of its rows, but a stage makes them by blocks, each thread its own: what a product reads
// is made in an earlier stage. Values that are quickly made from what is given before the first stage (a child's state,
// a sum of children) are the exception: each thread makes them again for itself, which takes less time than a meeting.
class StageNumbers {
 public:
  // Without `fuse` every operation has a stage of its own. `made_before(e)` says whether a pass before made e.
  StageNumbers(const ExprGraph&, const std::vector<int>& outputs, bool fuse, std::function<bool(int)> made_before);

  static constexpr int kGiven = -1;  // the stage of what is in memory before the first stage
  int of(int e) const { return number_[static_cast<std::size_t>(e)].value(); }
  int last() const { return last_; }

  bool is_given(int e) const { return of(e) == kGiven; }
  bool is_gathered(int e) const;  // given, or quickly made from what is given
  bool is_used_once(int e) const { return uses_[static_cast<std::size_t>(e)] == 1; }
  const std::set<int>& crossings() const { return crossings_; }  // what a later stage reads in memory

  // Whether an argument is read where it lies in memory: the matrix of a product, the rows of an outer product.
  static bool is_read_in_memory(const ExprNode&, int arg);

 private:
  bool is_made_before(int e) const;
  std::optional<int> operations(int e) const;
  bool is_made_earlier(const ExprNode&, int arg) const;
  int find_number(int e);
  void find_crossings(int e);

  const ExprGraph& g_;
  const bool fuse_;
  const std::function<bool(int)> made_before_;
  std::vector<std::optional<int>> number_;
  std::vector<int> uses_;
  std::set<int> crossings_, looked_at_;
  int last_ = 0;
};

}  // namespace brickwork
