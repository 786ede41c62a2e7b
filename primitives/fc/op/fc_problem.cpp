#include "primitives/fc/op/fc_problem.hpp"

namespace brickwork {

const SizeTable<FcProblem>& FcProblem::table() {
  using P = FcProblem;
  static const SizeTable<FcProblem> table{.kind = "fc",
                                          .sizes = {{.key = "N", .column = "N", .member = &P::N, .setting = true},
                                                    {.key = "C", .column = "C", .member = &P::C},
                                                    {.key = "K", .column = "K", .member = &P::K}},
                                          .words = {epilogue_word<P>()}};
  return table;
}

void FcProblem::validate() const {
  check_sizes(*this, kMaxTensorElements, "2^40");
  check_elements("src", {N, C});
  check_elements("weights", {K, C});
  check_elements("dst", {N, K});
}

}  // namespace brickwork
