#include "checker.hpp"

#include <chrono>
#include <limits>
#include <new>

namespace brickwork {
namespace {

constexpr double kNothingCompared = std::numeric_limits<double>::quiet_NaN();

template <class Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Checked check(const std::function<Result<PreparedPtr>()>& prepare, const std::vector<TensorInfo>& outputs,
              const PlainTensors& expected, Tolerance tolerance) {
  Checked checked;
  PlainTensors output(outputs);
  poison(output);
  try {
    auto prepared = prepare();
    if (!prepared) {
      checked.verdict = {prepared.status(), prepared.reason(), kNothingCompared};
      return checked;
    }
    checked.prepared = *std::move(prepared);
    Prepared& contender = *checked.prepared;
    contender.pack();
    checked.pack_seconds = seconds_of([&] { contender.pack(); });
    contender.run();
    if (DeviceQueue* const queue = contender.queue()) {
      queue->wait();
      checked.replay = queue->record([prepared = checked.prepared.get()] { prepared->run(); });
      contender.pack();
      checked.replay->seconds(1);
      checked.run_seconds = checked.replay->seconds(1);
    } else {
      checked.run_seconds = seconds_of([&] { contender.run(); });
    }
    contender.unpack(output);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    return {.verdict = {Status::failed, e.what(), kNothingCompared}};
  }
  checked.verdict = compare(output, expected, tolerance);
  return checked;
}

}  // namespace brickwork
