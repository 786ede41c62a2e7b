// Checks that a contender is right before it is timed. A wrong one is not timed.
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/op/compare.hpp"
#include "primitives/op/test_data.hpp"

namespace brickwork {

// A contender that was asked, prepared, run and judged; `prepared` is null if it did not get that far.
struct Checked {
  Verdict verdict;  // max_error is NaN if nothing could be compared
  PreparedPtr prepared;
  std::unique_ptr<Replay> replay;            // of its runs, if it has a queue
  double run_seconds = 0, pack_seconds = 0;  // of single calls, to plan the timing
  std::optional<double> peak_bytes;          // memory that the process gained while it was prepared, packed and run
};

using PrepareOn = std::function<Result<PreparedPtr>(const PlainTensors& inputs)>;

// Packs and runs twice, as the harness will do many times, so that a run which adds to the first output is noticed. For
// a contender with a queue, the replay is judged, as the replay will be timed. An exception is a failure of the
// contender, except std::bad_alloc, which passes through: the caller knows the sizes.
//
// Memory that was never written may already hold the right answer of an output of zeros. Such an operation is first
// checked with a contender prepared on inputs that turn into NaN and back: it must write NaN, and then zeros over it.
Checked check(const PrepareOn&, const std::vector<TensorInfo>& outputs, const TestData&, Tolerance);

template <Operation Op>
Checked check(const Contender<Op>& contender, const typename Op::Problem& problem, const TestData& data,
              const Resources& resources) {
  Tolerance tolerance = data.tolerance;
  if (contender.rounding > 0) tolerance.value += contender.rounding * largest(data.expected);
  return check([&](const PlainTensors& inputs) { return prepare(contender, problem, inputs, resources); },
               Op::outputs(problem), data, tolerance);
}

}  // namespace brickwork
