// An experiment whose contenders behave or misbehave as a test asks.
#pragma once
#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

#include "experiment.hpp"

namespace brickwork {

// What one contender does to an output in which the right answer is expected.
struct FakeContender {
  std::string name;
  std::function<void(std::span<const float> right, std::span<float> output)> run;
  std::string unsupported;  // reason
};

class FakeExperiment : public Experiment {
 public:
  explicit FakeExperiment(std::vector<FakeContender> contenders) : fakes_(std::move(contenders)) {
    for (const auto& fake : fakes_) infos_.push_back({fake.name, "fake", "1.0"});
    problems_.push_back({"size192", "only", 1, {{"size", "192"}}, 384, 384, 768});
  }
  std::string primitive() const override { return "fake"; }
  std::string pass() const override { return "forward"; }
  const std::vector<ProblemInfo>& problems() const override { return problems_; }
  const std::vector<ContenderInfo>& contenders() const override { return infos_; }
  std::vector<std::pair<std::string, std::string>> plans(std::size_t) const override { return {}; }
  std::unique_ptr<Workload> load(std::size_t, Fill) const override { return std::make_unique<FakeWorkload>(fakes_); }

 private:
  static constexpr std::size_t size = 192;

  struct FakePrepared : Prepared {
    FakePrepared(const FakeContender& f, std::span<const float> r) : fake(f), right(r) {}
    void pack() override {}
    void run() override { fake.run(right, output); }
    void unpack(float* plain) override {
      for (std::size_t i = 0; i < size; ++i) {
        if (output[i] != untouched) plain[i] = output[i];
      }
    }
    std::string plan() const override { return "n,\"kb\""; }

    static constexpr float untouched = -1e30F;
    FakeContender fake;
    std::span<const float> right;
    std::vector<float> output = std::vector<float>(size, untouched);
  };

  struct FakeWorkload : Workload {
    explicit FakeWorkload(std::vector<FakeContender> f) : fakes(std::move(f)) {
      for (std::size_t i = 0; i < size; ++i) right.push_back(static_cast<float>(i % 64) - 20.5F);
    }
    std::optional<std::string> unsupported(std::size_t c) const override {
      if (fakes[c].unsupported.empty()) return std::nullopt;
      return fakes[c].unsupported;
    }
    std::unique_ptr<Prepared> prepare(std::size_t c) const override {
      return std::make_unique<FakePrepared>(fakes[c], right);
    }
    std::size_t output_size() const override { return size; }
    std::span<const float> expected() const override { return {right.data(), 64}; }  // three images, all the same
    double tolerance() const override { return 0; }

    std::vector<FakeContender> fakes;
    std::vector<float> right;
  };

  std::vector<FakeContender> fakes_;
  std::vector<ContenderInfo> infos_;
  std::vector<ProblemInfo> problems_;
};

inline void right_answer(std::span<const float> right, std::span<float> output) {
  std::ranges::copy(right, output.begin());
}

}  // namespace brickwork
