// Checks that a baseline's output is right to the last bit, with a given number of threads.
#pragma once
#include <gtest/gtest.h>
#include <omp.h>
#include <rapidcheck.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "baselines/contender/checker.hpp"

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
  if (verdict.status == Status::ok && verdict.max_error <= data.tolerance.value) return testing::AssertionSuccess();
  return testing::AssertionFailure() << contender.name << " with " << threads << " threads on " << to_string(problem)
                                     << ": " << to_string(verdict.status) << ", " << verdict.reason;
}

// libxsmm_baselines_test.cpp checks which refusals are right.
enum class Refusal { wrong, allowed };

template <Operation Op>
void expect_exact_on(const Contender<Op>& contender, std::span<const char* const> problems, Refusal refusal) {
  for (const char* text : problems) {
    const auto p = parse_problem<typename Op::Problem>(text);
    const TestData data = make_checkable_test_data<Op>(p, Fill::integers);
    for (const int threads : {1, 2, 3}) {
      if (refusal == Refusal::allowed && verdict_on(contender, p, data, threads).status == Status::unsupported)
        continue;
      EXPECT_TRUE(is_exact(contender, p, data, threads));
    }
  }
}

template <Operation Op>
void expect_exact_on_random_problems(const Contender<Op>& contender, typename Op::Problem (*random_problem)()) {
  EXPECT_TRUE(rc::check([&] {
    const auto p = random_problem();
    const int threads = *rc::gen::inRange(1, 5);
    const TestData data = make_test_data<Op>(p, Fill::integers, to_string(p));
    RC_PRE(!has_output_of_zeros(data.expected));
    const Verdict verdict = verdict_on(contender, p, data, threads);
    RC_PRE(verdict.status != Status::unsupported);
    if (verdict.status != Status::ok) RC_FAIL(to_string(p) + ": " + verdict.reason);
    RC_ASSERT(verdict.max_error == 0);
  })) << contender.name;
}

template <Operation Op>
void expect_says_what_it_is(const Contender<Op>& contender, const char* text) {
  EXPECT_FALSE(contender.library.name.empty());
  EXPECT_FALSE(contender.library.version.empty());
  const auto p = parse_problem<typename Op::Problem>(text);
  const Checked checked = check(contender, p, make_checkable_test_data<Op>(p, Fill::integers), {1});
  ASSERT_TRUE(checked.prepared) << checked.verdict.reason;
  EXPECT_FALSE(checked.prepared->implementation().empty());
  EXPECT_FALSE(checked.prepared->isa().empty());
}

// The contenders that have their libraries in this build.
template <Operation Op>
std::vector<Contender<Op>> present(std::vector<Contender<Op>> contenders) {
  std::erase_if(contenders, [](const auto& contender) { return !contender.library.absent.empty(); });
  return contenders;
}

template <Operation Op>
std::string name_in_tests(const testing::TestParamInfo<Contender<Op>>& test) {
  std::string name = test.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

template <Operation Op>
void PrintTo(const Contender<Op>& contender, std::ostream* out) {
  *out << contender.name;
}

}  // namespace brickwork
