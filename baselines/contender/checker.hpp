// Is a contender right? Decided before it is timed; one that is not gets no time.
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/op/compare.hpp"
#include "primitives/op/test_data.hpp"

namespace brickwork {

// A contender that was asked, prepared, run and judged; `prepared` is null where it did not come that far.
struct Checked {
  Verdict verdict;  // max_error is NaN where nothing could be compared
  PreparedPtr prepared;
  std::unique_ptr<Replay> replay;            // of its runs, where it has a queue
  double run_seconds = 0, pack_seconds = 0;  // of single calls, to plan the timing with
};

using PrepareOn = std::function<Result<PreparedPtr>(const PlainTensors& inputs)>;

// Packs and runs twice, as the harness will again and again: what adds to the first run's output shows. Where runs are
// queued it is the replay that is judged, as it is what will be timed. An exception is the contender's own failure, but
// for std::bad_alloc: whoever knows the sizes can say more of it.
//
// An output whose right answer is zeros alone is right in memory that was never written, too. There another contender
// is prepared first, on inputs that turn into NaN and back: it must write where NaN comes out, and then zeros over it.
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
