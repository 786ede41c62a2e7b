#include "add_problem.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace brickwork {

const SizeTable<AddProblem>& AddProblem::table() {
  using P = AddProblem;
  static const SizeTable<AddProblem> table{.kind = "add",
                                           .sizes = {{.key = "N", .column = "N", .member = &P::N, .setting = true},
                                                     {.key = "E", .column = "elements", .member = &P::E}},
                                           .words = {{.column = "epilogue",
                                                      .expected = "an epilogue: relu or none",
                                                      .get = [](const P& p) { return p.relu ? "relu" : "none"; },
                                                      .set =
                                                          [](P& p, std::string_view word) {
                                                            p.relu = word == "relu";
                                                            return p.relu || word == "none";
                                                          }}}};
  return table;
}

void AddProblem::validate() const {
  check_sizes(*this, std::int64_t{1} << 30, "2^30");
  if (count < 1) throw std::invalid_argument(fmt::format("count is {}: it must be at least 1", count));
}

}  // namespace brickwork
