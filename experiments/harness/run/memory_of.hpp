// An estimate of the memory that a problem needs, before any of it is allocated: a system that overcommits memory kills
// a process that uses too much.
#pragma once
#include <algorithm>
#include <cstdint>

#include "primitives/op/test_data.hpp"

namespace brickwork {

// Values between layers and steps, which are in none of the tensors.
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
  std::int64_t workloads = 1;  // sets of test data: integers, or integers and floats
  bool timed = false;          // then a limit of the machine is measured beside them, on as many bytes
};

// The most bytes that are allocated at once. There are two candidates:
//
// - While the last test data are made: the plain inputs of few images in double, a copy of them (the reference may pack
//   inputs that it reads many times), the values between layers and the right outputs, also in double, and the plain
//   inputs of all images.
// - While the last contender is judged: the test data, each contender's own tensors, and plain outputs of one
// contender.
//
// Only its library knows how much memory a contender takes. The estimate counts the tensors once and the values between
// layers twice, for one contender more than there are: ours, OpenBLAS and LIBXSMM take that or twice as much, oneDNN
// alone up to three times as much.
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
