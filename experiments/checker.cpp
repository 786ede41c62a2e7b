#include "checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "aligned_buffer.hpp"

namespace brickwork {
namespace {

template <class Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Verdict failed(std::string reason, double max_error = std::numeric_limits<double>::quiet_NaN()) {
  return {Status::failed, std::move(reason), max_error};
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::failed:
      return "failed";
    case Status::skipped:
      return "skipped";
  }
  return "";
}

Verdict compare(std::span<const float> actual, std::span<const float> expected, double tolerance) {
  if (actual.empty() || expected.empty()) throw std::logic_error("there is no output to compare");
  if (std::ranges::all_of(expected, [](float x) { return x == 0; })) {
    throw std::logic_error("the right output is all zeros: it tells no kernel from one that does nothing");
  }
  Verdict verdict;
  std::size_t wrong = 0, first_wrong = 0;
  for (std::size_t i = 0, e = 0; i < actual.size(); ++i) {
    const double error = std::abs(static_cast<double>(actual[i]) - expected[e]);
    if (!(error <= tolerance) && wrong++ == 0) first_wrong = i;
    if (!(error <= verdict.max_error)) verdict.max_error = std::isnan(error) ? HUGE_VAL : error;
    if (++e == expected.size()) e = 0;
  }
  if (wrong > 0) {
    return failed(fmt::format("{} of {} outputs are wrong, the first at element {}: {} instead of {} +- {:.3g}", wrong,
                              actual.size(), first_wrong, actual[first_wrong], expected[first_wrong % expected.size()],
                              tolerance),
                  verdict.max_error);
  }
  return verdict;
}

Checked check(const Workload& workload, std::size_t contender) {
  Checked checked;
  AlignedBuffer<float> output(workload.output_size());
  std::ranges::fill(output, std::numeric_limits<float>::quiet_NaN());  // what is never written shows
  try {
    if (const auto reason = workload.unsupported(contender)) {
      checked.verdict = {Status::skipped, *reason, std::numeric_limits<double>::quiet_NaN()};
      return checked;
    }
    checked.prepared = workload.prepare(contender);
    const auto& prepared = checked.prepared;
    prepared->pack();
    checked.pack_seconds = seconds_of([&] { prepared->pack(); });
    prepared->run();
    checked.run_seconds = seconds_of([&] { prepared->run(); });  // adding to the first run's output shows as well
    prepared->unpack(output.data());
  } catch (const std::exception& e) {
    checked.verdict = failed(e.what());
    checked.prepared.reset();
    return checked;
  }
  checked.verdict = compare({output.data(), output.size()}, workload.expected(), workload.tolerance());
  return checked;
}

}  // namespace brickwork
