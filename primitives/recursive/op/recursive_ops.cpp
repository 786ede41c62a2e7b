#include "primitives/recursive/op/recursive_ops.hpp"

#include <algorithm>
#include <iterator>

#include "primitives/recursive/op/recursive_definition.hpp"
#include "primitives/recursive/op/recursive_flops.hpp"

namespace brickwork {
namespace {

using Infos = std::vector<TensorInfo>;

}  // namespace

namespace recursive_ops {

Infos sources(const RecursiveProblem& p) { return sources(p.cell(), p.H, *p.forest()); }
Infos results(const RecursiveProblem& p) {
  return allowing_for_few(results(p.cell(), p.H, *p.forest()), forward_bound(p));
}
Infos upstream(const RecursiveProblem& p) { return upstream(p.cell(), p.H, *p.forest()); }
Infos gradients(const RecursiveProblem& p) {
  return allowing_for_few(gradients(p.cell(), p.H, *p.forest()), backward_bound(p));
}
double forward_flops(const RecursiveProblem& p) { return forward_flops(p.cell(), p.H, *p.forest()); }
double backward_flops(const RecursiveProblem& p) { return backward_flops(p.cell(), p.H, *p.forest()); }
double forward_bound(const RecursiveProblem& p) { return forward_bound(p.H); }
double backward_bound(const RecursiveProblem& p) { return backward_bound(p.cell(), p.H, *p.forest()); }

}  // namespace recursive_ops

std::int64_t RecursiveOp::terms(const Problem& p) { return recursive_ops::terms(p.H); }

void RecursiveInferenceOp::reference(const Problem& p, const PlainTensors& in, PlainTensors& out) {
  define_recursive_forward(p.cell(), p.H, *p.forest(), in, out);
}

Infos RecursiveTrainingOp::inputs(const Problem& p) {
  Infos infos = recursive_ops::sources(p);
  std::ranges::copy(recursive_ops::upstream(p), std::back_inserter(infos));
  return infos;
}

void RecursiveTrainingOp::reference(const Problem& p, const PlainTensors& in, PlainTensors& out) {
  define_recursive_backward(p.cell(), p.H, *p.forest(), in, out);
}

}  // namespace brickwork
