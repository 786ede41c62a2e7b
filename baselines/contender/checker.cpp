#include "baselines/contender/checker.hpp"

#include <chrono>
#include <limits>
#include <new>

#include "baselines/contender/peak_memory.hpp"

namespace brickwork {
namespace {

constexpr double kNothingCompared = std::numeric_limits<double>::quiet_NaN();

template <class Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

PlainTensors outputs_of_a_run(Prepared& contender, const std::vector<TensorInfo>& infos) {
  PlainTensors outputs(infos);
  poison(outputs);
  contender.pack();
  contender.run();
  if (DeviceQueue* const queue = contender.queue()) queue->wait();
  contender.unpack(outputs);
  return outputs;
}

Verdict writes_zeros(const PrepareOn& prepare, const std::vector<TensorInfo>& outputs, const TestData& data,
                     Tolerance tolerance) {
  PlainTensors inputs(data.inputs.infos());
  inputs.assign(data.inputs);
  auto prepared = prepare(inputs);
  if (!prepared) return {prepared.status(), prepared.reason(), kNothingCompared};
  poison(inputs);
  Verdict verdict = compare_written(outputs_of_a_run(**prepared, outputs), data.of_nan, data.expected);
  if (verdict.status != Status::ok) return verdict;
  inputs.assign(data.inputs);
  return compare(outputs_of_a_run(**prepared, outputs), data.expected, tolerance);
}

}  // namespace

Checked check(const PrepareOn& prepare, const std::vector<TensorInfo>& outputs, const TestData& data,
              Tolerance tolerance) {
  Checked checked;
  PlainTensors output(outputs);
  poison(output);
  try {
    if (has_output_of_zeros(data.expected)) {
      checked.verdict = writes_zeros(prepare, outputs, data, tolerance);
      if (checked.verdict.status != Status::ok) return checked;
    }
    const PeakMemory memory;
    auto prepared = prepare(data.inputs);
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
    checked.peak_bytes = memory.gained();
    contender.unpack(output);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    return {.verdict = {Status::failed, e.what(), kNothingCompared}};
  }
  checked.verdict = compare(output, data.expected, tolerance);
  return checked;
}

}  // namespace brickwork
