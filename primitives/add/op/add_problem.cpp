#include "primitives/add/op/add_problem.hpp"

namespace brickwork {

const SizeTable<AddProblem>& AddProblem::table() {
  using P = AddProblem;
  static const SizeTable<AddProblem> table{
      .kind = "add",
      .sizes = {{.key = "N", .column = "N", .member = &P::N, .setting = true},
                {.key = "E", .column = "elements", .member = &P::E}},
      .words = {choice("an epilogue: relu or none", {"none", "relu"}, &P::relu, "epilogue")}};
  return table;
}

void AddProblem::validate() const { check_sizes(*this, std::int64_t{1} << 30, "2^30"); }

}  // namespace brickwork
