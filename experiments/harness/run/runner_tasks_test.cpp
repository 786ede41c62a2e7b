// The calls that the runner times: how many of which contender, in which order, and the rows that get their times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <thread>

#include "experiments/harness/run/runner.hpp"
#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/fake_experiment.hpp"
#include "experiments/harness/testing/json_file.hpp"
#include "experiments/harness/testing/run_test.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;

// The calls after the checks, one letter each: a small one for run(), a capital for pack().
using Record = std::string;

// Slower with every call, so that no two samples are equal, and never so fast that two calls go between two readings of
// the clock or into one sample.
class RecordedPrepared final : public Prepared {
 public:
  RecordedPrepared(char letter, Record& record, const PlainTensors& in) : letter_(letter), record_(record), in_(in) {}
  void pack() override { take_part(static_cast<char>(letter_ - 'a' + 'A')); }
  void run() override { take_part(letter_); }
  void unpack(PlainTensors& out) override {
    std::ranges::copy(in_.values<float>(0), out.values<float>(0).begin());
    record_.clear();
  }

 private:
  void take_part(char letter) {
    record_ += letter;
    pause_ += std::chrono::microseconds(10);
    std::this_thread::sleep_for(pause_);
  }

  char letter_;
  Record& record_;
  const PlainTensors& in_;
  std::chrono::microseconds pause_{60};
};

Contender<FakeOp> recorded(char letter, Record& record) {
  return {.name = std::string(1, letter),
          .library = {.name = "fake", .version = "1.0"},
          .prepare = [letter, &record](const FakeProblem&, const PlainTensors& in, const Resources&)
              -> Result<PreparedPtr> { return PreparedPtr(std::make_unique<RecordedPrepared>(letter, record, in)); }};
}

class RunnerTasks : public RunTest {
 protected:
  RunnerTasks() { options_.min_time = 1e-6; }

  // Runs the contenders of these names, and says how often each was called for what.
  std::map<char, long> calls(std::string_view names) {
    std::vector<Contender<FakeOp>> contenders;
    for (const char name : names) contenders.push_back(recorded(name, record_));
    EXPECT_EQ(run_fake(fake_experiment_of(std::move(contenders)), options_), exit_ok);
    std::map<char, long> calls;
    for (const char letter : record_) ++calls[letter];
    return calls;
  }

  Record record_;
};

constexpr long kPackSamples = 3;

TEST_F(RunnerTasks, CallsEveryContenderForItsSamplesAndWarmUps) {
  options_.samples = 5;
  const long runs = 2 + 2 * 5,
             packs = 2 + 2 * kPackSamples;  // a warm-up each, and calls to find the length of a stretch
  EXPECT_EQ(calls("ab"), (std::map<char, long>{{'a', runs}, {'b', runs}, {'A', packs}, {'B', packs}}));
}

TEST_F(RunnerTasks, CallsColdContendersForTheirSamplesOnly) {
  options_.samples = 2;
  options_.cold_cache = true;
  EXPECT_EQ(calls("a"), (std::map<char, long>{{'a', 2}, {'A', kPackSamples}}));
}

TEST_F(RunnerTasks, InterleavesTheContenders) {
  options_.samples = 20;
  calls("ab");
  std::erase_if(record_, [](char letter) { return letter != 'a' && letter != 'b'; });
  const int changes =
      std::inner_product(record_.begin() + 1, record_.end(), record_.begin(), 0, std::plus(), std::not_equal_to());
  // A run without interleaving has at most 3 changes; random order has so few once in 10^9 runs.
  EXPECT_GT(changes, 3) << record_;
}

TEST_F(RunnerTasks, WritesTheTimesOfTheEngineIntoTheRightRows) {
  options_.samples = 4;
  calls("ab");
  const auto kept = read_json(folder_ / "google-benchmark" / "size3.json");
  std::map<std::string, double> expected;  // "a/run/0": seconds of one call
  for (const auto& sample : kept.at("benchmarks")) {
    if (sample.at("run_type") != "iteration") continue;
    ASSERT_EQ(sample.at("time_unit"), "ns");
    const auto name = sample.at("run_name").get<std::string>();  // a/run/min_time:0.000/...
    expected[name.substr(0, name.find('/', name.find('/') + 1)) +
             fmt::format("/{}", sample.at("repetition_index").get<int>())] =
        1e-9 * sample.at("real_time").get<double>() / sample.at("calls_per_iteration").get<double>();
  }
  const CsvTable table(folder_ / "samples.csv");
  std::map<std::string, double> written;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "contender") == "stream") continue;
    written[fmt::format("{}/{}/{}", table.at(i, "contender"), table.at(i, "phase"), table.at(i, "sample"))] =
        std::stod(table.at(i, "seconds"));
  }
  ASSERT_EQ(written.size(), expected.size());
  for (const auto& [sample, seconds] : expected) EXPECT_NEAR(written[sample], seconds, 1e-6 * seconds) << sample;
}

}  // namespace
}  // namespace brickwork
