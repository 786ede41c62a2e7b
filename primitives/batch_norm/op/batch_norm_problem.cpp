#include "primitives/batch_norm/op/batch_norm_problem.hpp"

namespace brickwork {

const SizeTable<BatchNormProblem>& BatchNormProblem::table() {
  using P = BatchNormProblem;
  static const SizeTable<BatchNormProblem> table{
      .kind = "batch_norm",
      .sizes = {{.key = "N", .column = "N", .member = &P::N, .setting = true},
                {.key = "C", .column = "C", .member = &P::C},
                {.key = "H", .column = "H", .member = &P::H},
                {.key = "W", .column = "W", .member = &P::W, .like = &P::H}},
      .words = {choice("an epilogue: none, relu or residual+relu", {"none", "relu", "residual+relu"}, &P::epilogue,
                       "epilogue")}};
  return table;
}

void BatchNormProblem::validate() const {
  check_sizes(*this, kMaxTensorElements, "2^40");
  check_elements("src", {N, C, H, W});
}

}  // namespace brickwork
