// Whether a contender's output is right to the last bit, on a machine share of so many threads.
#pragma once
#include <gtest/gtest.h>
#include <omp.h>

#include "checker.hpp"

namespace brickwork {

template <Operation Op>
Verdict verdict_on(const Contender<Op>& contender, const typename Op::Problem& problem, const TestData& data,
                   int threads) {
  omp_set_num_threads(threads);
  return check(contender, problem, data, {threads}).verdict;
}

template <Operation Op>
testing::AssertionResult is_exact(const Contender<Op>& contender, const typename Op::Problem& problem,
                                  const TestData& data, int threads) {
  const Verdict verdict = verdict_on(contender, problem, data, threads);
  if (verdict.status == Status::ok && verdict.max_error == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << contender.name << " with " << threads << " threads on " << to_string(problem)
                                     << ": " << to_string(verdict.status) << ", " << verdict.reason;
}

}  // namespace brickwork
