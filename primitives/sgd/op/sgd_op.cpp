#include "primitives/sgd/op/sgd_op.hpp"

#include <limits>

namespace brickwork {

const SizeTable<SgdProblem>& SgdProblem::table() {
  static const SizeTable<SgdProblem> table{
      .kind = "sgd", .sizes = {{.key = "P", .column = "parameters", .member = &SgdProblem::P}}, .words = {}};
  return table;
}

void SgdProblem::validate() const { check_sizes(*this, std::int64_t{1} << 40, "2^40"); }

std::vector<TensorInfo> SgdOp::inputs(const SgdProblem& p) {
  return {{.name = "weights", .dims = {p.P}}, {.name = "velocity", .dims = {p.P}}, {.name = "gradient", .dims = {p.P}}};
}

std::vector<TensorInfo> SgdOp::outputs(const SgdProblem& p) {
  return {{.name = "new_weights", .dims = {p.P}}, {.name = "new_velocity", .dims = {p.P}}};
}

double SgdOp::bound(const SgdProblem&) { return 6 * std::numeric_limits<float>::epsilon(); }

void SgdOp::reference(const SgdProblem& p, const PlainTensors& in, PlainTensors& out) {
  const double *w = in.at<double>("weights"), *v = in.at<double>("velocity"), *g = in.at<double>("gradient");
  double *new_w = out.at<double>("new_weights"), *new_v = out.at<double>("new_velocity");
  for (std::int64_t i = 0; i < p.P; ++i) {
    new_v[i] = double{step.momentum} * v[i] + (g[i] + double{step.decay} * w[i]);
    new_w[i] = w[i] - double{step.rate} * new_v[i];
  }
}

}  // namespace brickwork
