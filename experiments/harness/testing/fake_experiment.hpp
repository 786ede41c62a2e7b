// An experiment for tests: its contenders behave or misbehave as a test asks.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "baselines/contender/contender.hpp"
#include "experiments/harness/run/experiment.hpp"
#include "experiments/harness/run/registry.hpp"
#include "experiments/harness/run/runner.hpp"

namespace brickwork {

struct FakeProblem {
  static const SizeTable<FakeProblem>& table() {
    static const SizeTable<FakeProblem> table{
        .kind = "fake",
        .sizes = {{.key = "size", .column = "size", .member = &FakeProblem::size, .setting = true}},
        .words = {}};
    return table;
  }
  void validate() const { check_sizes(*this, 1000, "1000"); }

  std::string name = "only";
  std::int64_t size = 3;
  int count = 1;
  std::int64_t terms = 1;
  bool zeros = false;  // the right answer is all zeros
};

// y = x, both [size][64].
struct FakeOp {
  using Problem = FakeProblem;
  static constexpr std::string_view primitive = "fake", pass = "forward";
  static constexpr std::int64_t FakeProblem::*images = &FakeProblem::size;
  static constexpr bool sum_of_products = true;
  static std::vector<TensorInfo> inputs(const FakeProblem& p) {
    return {{.name = "x", .dims = {p.size, 64}, .per_image = true}};
  }
  static std::vector<TensorInfo> outputs(const FakeProblem& p) {
    return {{.name = "y", .dims = {p.size, 64}, .per_image = true}};
  }
  static std::int64_t terms(const FakeProblem& p) { return p.terms; }
  static double flops(const FakeProblem& p) { return 64.0 * static_cast<double>(p.size); }
  static double least_flops(const FakeProblem& p) { return flops(p); }
  static void reference(const FakeProblem& p, const PlainTensors& in, PlainTensors& out) {
    if (!p.zeros) std::ranges::copy(in.values<double>(0), out.values<double>(0).begin());
  }
};

// A contender: run() gets the right answer and writes its own output.
struct FakeContender {
  std::string name;
  std::function<void(std::span<const float> right, std::span<float> output)> run;
  Status status = Status::ok;  // otherwise prepare() fails with this status and the reason
  std::string reason = {};
  bool slow = false;
  std::string searched_for = {};
  std::string plan = "n,\"kb\"";
  std::function<double(std::int64_t runs)> device_seconds = {};  // the device's clock, if it runs on a device
};

void right_answer(std::span<const float> right, std::span<float> output);

Contender<FakeOp> contender(const FakeContender&);

// The experiment that the command line asks for.
std::unique_ptr<Experiment> fake_experiment_of(const Request&, std::vector<Contender<FakeOp>>);

// On one thread.
std::unique_ptr<Experiment> fake_experiment_of(std::vector<Contender<FakeOp>>,
                                               std::vector<FakeProblem> = {FakeProblem{}});
// memory_left returns the bytes of free memory.
std::unique_ptr<Experiment> fake_experiment_of(std::vector<Contender<FakeOp>>, std::vector<FakeProblem>,
                                               bool check_only, std::function<double()> memory_left);
std::unique_ptr<Experiment> fake_experiment(const std::vector<FakeContender>&,
                                            std::vector<FakeProblem> = {FakeProblem{}});

// Runs on a machine with small caches: with those of a real one, every run would take seconds.
ExitCode run_fake(const std::unique_ptr<Experiment>&, const Options&, const RunClock& = steady_seconds);

}  // namespace brickwork
