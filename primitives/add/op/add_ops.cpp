#include "primitives/add/op/add_ops.hpp"

#include <algorithm>
#include <stdexcept>

namespace brickwork {

void AddForwardOp::reference(const AddProblem& p, const PlainTensors& in, PlainTensors& out) {
  std::ranges::transform(in.values<double>(0), in.values<double>(1), out.values<double>(0).begin(),
                         [&](double a, double b) { return p.relu && a + b < 0 ? 0 : a + b; });
}

void AddBackwardOp::check_taken(const AddProblem& p) {
  if (!p.relu) throw std::invalid_argument("the derivative of an addition without a ReLU is ddst itself: use relu");
}

void AddBackwardOp::reference(const AddProblem&, const PlainTensors& in, PlainTensors& out) {
  std::ranges::transform(in.values<double>(0), in.values<double>(1), out.values<double>(0).begin(),
                         [](double dst, double ddst) { return dst <= 0 ? 0 : ddst; });
}

}  // namespace brickwork
