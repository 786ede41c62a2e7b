#include "primitives/brgemm/op/brgemm_league_problem.hpp"

namespace brickwork {

const SizeTable<BrgemmLeagueProblem>& BrgemmLeagueProblem::table() {
  using P = BrgemmLeagueProblem;
  static const SizeTable<BrgemmLeagueProblem> table{.kind = "brgemm-league",
                                                    .sizes = {{.key = "tasks", .column = "tasks", .member = &P::tasks},
                                                              {.key = "m", .column = "m", .member = &P::m},
                                                              {.key = "n", .column = "n", .member = &P::n},
                                                              {.key = "k", .column = "k", .member = &P::k},
                                                              {.key = "batch", .column = "batch", .member = &P::batch}},
                                                    .words = {}};
  return table;
}

void BrgemmLeagueProblem::validate() const {
  check_sizes(*this, std::int64_t{1} << 20, "2^20");
  call().validate();
  check_elements("A", {tasks, m, depth()});
  check_elements("C", {tasks, m, n});
}

}  // namespace brickwork
