// A check for all drivers of operations on plain arrays.
#pragma once
#include <gtest/gtest.h>

#include "primitives/elementwise/elementwise_plan.hpp"
#include "primitives/op/test_data.hpp"

namespace brickwork {

// run(problem, inputs, outputs, plan) must give the right answer with every plan: exact if integers make it exact,
// otherwise within the operation's bound.
template <Operation Op, class Run>
void expect_exact(const typename Op::Problem& p, const Run& run) {
  const TestData data = make_checkable_test_data<Op>(p, Fill::integers);
  for (const Sweep sweep : {Sweep::cached, Sweep::stream, Sweep::stream_l2}) {
    PlainTensors out(Op::outputs(p));
    poison(out);
    run(p, data.inputs, out, ElementwisePlan{.sweep = sweep});
    const Verdict verdict = compare(out, data.expected, data.tolerance);
    EXPECT_EQ(verdict.status, Status::ok) << to_string(p) << ": " << verdict.reason;
  }
}

}  // namespace brickwork
