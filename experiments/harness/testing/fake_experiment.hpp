// An experiment whose contenders behave or misbehave as a test asks.
#pragma once
#include <algorithm>
#include <functional>
#include <span>

#include "experiment_of.hpp"
#include "runner.hpp"

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
  bool zeros = false;  // the right answer is zeros alone
};

// y = x, `size` rows of 64.
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

// What one contender does to an output in which the right answer is expected.
struct FakeContender {
  std::string name;
  std::function<void(std::span<const float> right, std::span<float> output)> run;
  Status status = Status::ok;  // else what it answers when it is asked
  std::string reason = {};
  bool slow = false;
  std::string searched_for = {};
};

inline void right_answer(std::span<const float> right, std::span<float> output) {
  std::ranges::copy(right, output.begin());
}

inline Contender<FakeOp> contender(const FakeContender& fake) {
  class FakePrepared final : public Prepared {
   public:
    FakePrepared(const FakeContender& fake, const PlainTensors& in) : fake_(fake), right_(in.values<float>(0)) {}
    void pack() override {}
    void run() override { fake_.run(right_, output_); }
    void unpack(PlainTensors& out) override { std::ranges::copy(output_, out.values<float>(0).begin()); }
    std::string plan() const override { return "n,\"kb\""; }

   private:
    FakeContender fake_;
    std::span<const float> right_;
    std::vector<float> output_ = std::vector<float>(right_.size());
  };
  return {.name = fake.name,
          .library = {"fake", "1.0"},
          .ours = fake.name == "right",
          .slow = fake.slow,
          .searched_for = fake.searched_for,
          .prepare = [fake](const FakeProblem&, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            if (fake.status != Status::ok) return {fake.status, fake.reason};
            return PreparedPtr(std::make_unique<FakePrepared>(fake, in));
          }};
}

inline ExperimentOf<FakeOp> fake_experiment(const std::vector<FakeContender>& fakes,
                                            const std::vector<FakeProblem>& problems = {FakeProblem{}}) {
  std::vector<Contender<FakeOp>> contenders;
  for (const FakeContender& fake : fakes) contenders.push_back(contender(fake));
  return {
      {.shapes = "fakes", .shapes_size = problems.size(), .problems = problems}, std::move(contenders), Resources{1}};
}

// On a machine with small caches: beyond those of a real one, every run would spend seconds.
inline ExitCode run_fake(const Experiment& experiment, const Options& options, const RunClock& clock = steady_seconds) {
  return run_experiment(experiment, "layers", options, clock, Machine{});
}

}  // namespace brickwork
