// Is a contender right? Decided before it is timed; one that is not gets no time.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "experiment.hpp"

namespace brickwork {

enum class Status { ok, failed, skipped };
std::string_view to_string(Status);

struct Verdict {
  Status status = Status::ok;
  std::string reason;  // one sentence unless ok
  double max_error = 0;
};

// Every element of `actual` against `expected`, which repeats. NaN is wrong whatever the tolerance. Comparing nothing
// and a right answer of zeros alone throw std::logic_error: such a check decides nothing.
Verdict compare(std::span<const float> actual, std::span<const float> expected, double tolerance);

// A contender that was asked, prepared, run and judged; `prepared` is null where it did not come that far.
struct Checked {
  Verdict verdict;
  std::unique_ptr<Prepared> prepared;
  double run_seconds = 0, pack_seconds = 0;  // of single calls, to plan the timing with
};

Checked check(const Workload&, std::size_t contender);

}  // namespace brickwork
