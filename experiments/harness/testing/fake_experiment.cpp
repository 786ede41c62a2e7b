#include "experiments/harness/testing/fake_experiment.hpp"

#include "experiments/harness/run/experiment_of.hpp"

namespace brickwork {

void right_answer(std::span<const float> right, std::span<float> output) { std::ranges::copy(right, output.begin()); }

namespace {

struct FakeReplay final : Replay {
  FakeReplay(std::function<void()> r, std::function<double(std::int64_t)> s) : run(std::move(r)), clock(std::move(s)) {}
  double seconds(std::int64_t runs) override {
    for (std::int64_t i = 0; i < runs; ++i) run();
    return clock(runs);
  }
  std::function<void()> run;
  std::function<double(std::int64_t)> clock;
};

class FakePrepared final : public Prepared, public DeviceQueue {
 public:
  FakePrepared(const FakeContender& fake, const PlainTensors& in) : fake_(fake), right_(in.values<float>(0)) {}
  void pack() override {}
  void run() override { fake_.run(right_, output_); }
  void unpack(PlainTensors& out) override { std::ranges::copy(output_, out.values<float>(0).begin()); }
  std::string plan() const override { return fake_.plan; }
  DeviceQueue* queue() override { return fake_.device_seconds ? this : nullptr; }

  void wait() override {}
  std::unique_ptr<Replay> record(std::function<void()> run) override {
    return std::make_unique<FakeReplay>(std::move(run), fake_.device_seconds);
  }
  void displace_cache() override {}

 private:
  FakeContender fake_;
  std::span<const float> right_;
  std::vector<float> output_ = std::vector<float>(right_.size());
};

}  // namespace

Contender<FakeOp> contender(const FakeContender& fake) {
  return {.name = fake.name,
          .library = {"fake", "1.0"},
          .ours = fake.name == "right",
          .device = fake.device_seconds ? "cuda" : "cpu",
          .slow = fake.slow,
          .searched_for = fake.searched_for,
          .search_seconds = fake.searched_for.empty() ? 0.0 : 5.0,
          .prepare = [fake](const FakeProblem&, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            if (fake.status != Status::ok) return {fake.status, fake.reason};
            return PreparedPtr(std::make_unique<FakePrepared>(fake, in));
          }};
}

std::unique_ptr<Experiment> fake_experiment_of(const Request& request, std::vector<Contender<FakeOp>> contenders) {
  return make_experiment<FakeOp>(request, std::move(contenders));
}

std::unique_ptr<Experiment> fake_experiment_of(std::vector<Contender<FakeOp>> contenders,
                                               std::vector<FakeProblem> problems) {
  return fake_experiment_of(std::move(contenders), std::move(problems), false, [] { return available_memory(); });
}

std::unique_ptr<Experiment> fake_experiment_of(std::vector<Contender<FakeOp>> contenders,
                                               std::vector<FakeProblem> problems, bool check_only,
                                               std::function<double()> memory_left) {
  const std::size_t size = problems.size();
  return std::make_unique<ExperimentOf<FakeOp>>(
      experiment_of::Chosen<FakeProblem>{.shapes = "fakes", .shapes_size = size, .problems = std::move(problems)},
      std::move(contenders), Resources{1}, check_only, std::move(memory_left));
}

std::unique_ptr<Experiment> fake_experiment(const std::vector<FakeContender>& fakes,
                                            std::vector<FakeProblem> problems) {
  std::vector<Contender<FakeOp>> contenders;
  for (const FakeContender& fake : fakes) contenders.push_back(contender(fake));
  return fake_experiment_of(std::move(contenders), std::move(problems));
}

ExitCode run_fake(const std::unique_ptr<Experiment>& experiment, const Options& options, const RunClock& clock) {
  return run_experiment(*experiment, "layers", options, clock, Machine{});
}

}  // namespace brickwork
