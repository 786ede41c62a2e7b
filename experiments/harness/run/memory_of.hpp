// How much memory a problem needs, before any of it is taken: where the system promises more than it has, it ends
// whoever takes too much.
#pragma once
#include <algorithm>
#include <cstdint>

#include "primitives/op/test_data.hpp"

namespace brickwork {

// Values of layers and steps that no tensor holds.
template <Operation Op>
double values_between(const typename Op::Problem& p) {
  if constexpr (requires { Op::values_between(p); }) {
    return Op::values_between(p);
  } else {
    return 0;
  }
}

struct AtOnce {
  std::int64_t contenders = 1;
  std::int64_t workloads = 1;  // test data: integers, and floats besides
  bool timed = false;          // then what the machine can do is measured beside them, on as many bytes
};

// The most bytes that are alive at once, of these two moments:
//
// - The last test data are made: the plain inputs of few images in double, a copy of them, in which the definition may
//   pack what it reads again and again, what it finds between them and the right outputs, also in double, and the plain
//   inputs of all.
// - The last contender is judged: the test data, each contender's own tensors, and plain outputs for one of them.
//
// How much a contender has of its own its library alone knows. Counted are the tensors once, values between them twice,
// and both once more than there are contenders: ours, OpenBLAS and LIBXSMM have that or twice as much, oneDNN alone up
// to three times.
template <Operation Op>
double memory_of(const typename Op::Problem& problem, const AtOnce& at_once) {
  const auto few = test_data::few_images<Op>(problem);
  const double outputs = bytes_of_tensors(Op::outputs(problem));
  const double tensors = bytes_of_tensors(Op::inputs(problem)) + outputs;
  const double drawn = bytes_of_tensors(with_dtype(Op::inputs(few), DType::f64));
  const double right = bytes_of_tensors(with_dtype(Op::outputs(few), DType::f64));
  const double workload = tensors - outputs + right;
  const double own = tensors + 2 * sizeof(float) * values_between<Op>(problem);

  const auto workloads = static_cast<double>(at_once.workloads), contenders = static_cast<double>(at_once.contenders);
  const double made = workloads * workload + 2 * drawn + sizeof(double) * values_between<Op>(few);
  const double beside = std::max(outputs, at_once.timed ? bytes_of<Op>(problem) : 0.0);
  return std::max(made, workloads * workload + (contenders + 1) * own + beside);
}

}  // namespace brickwork
