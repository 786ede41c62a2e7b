// Compares PyTorch with our definition, both in f64, for tests.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "baselines/contender/contender.hpp"
#include "primitives/op/compare.hpp"

namespace brickwork::pytorch {

// The largest difference, of any output as a whole. prepare(problem, inputs) prepares PyTorch for the problem `text`;
// `definition` is the problem whose definition it should equal.
template <Operation Op, class Prepare>
double difference_in_f64(const std::string& text, const std::string& definition, const Prepare& prepare) {
  const auto p = parse_problem<typename Op::Problem>(text);
  PlainTensors in(with_dtype(Op::inputs(p), DType::f64));
  for (std::size_t i = 0; i < in.infos().size(); ++i) {
    double x = 0.1 + 0.01 * static_cast<double>(i);  // then follows the logistic map
    for (double& value : in.values<double>(i)) value = (x = 3.99 * x * (1 - x)) * 2 - 1;
  }
  Op::settle(p, in);
  const auto outputs = with_dtype(Op::outputs(p), DType::f64);
  PlainTensors expected(outputs), found(outputs);
  Op::reference(parse_problem<typename Op::Problem>(definition), in, expected);
  poison(found);
  const auto prepared = prepare(p, in);
  EXPECT_TRUE(prepared) << prepared.reason();
  (*prepared)->pack();
  for (int i = 0; i < 2; ++i) (*prepared)->run();
  (*prepared)->unpack(found);
  const Verdict verdict = compare(found, expected, {1e300, /*of_whole=*/true});
  EXPECT_EQ(verdict.status, Status::ok) << verdict.reason;
  return verdict.max_error;
}

}  // namespace brickwork::pytorch
