#include "baselines/contender/checker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "baselines/contender/peak_memory.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A problem of N images of 64 values.
struct Images {
  static const SizeTable<Images>& table() {
    static const SizeTable<Images> table{
        .kind = "images", .sizes = {{.key = "N", .column = "N", .member = &Images::N}}, .words = {}};
    return table;
  }
  std::int64_t N = 1;
};

// y = x.
struct Copy {
  using Problem = Images;
  static constexpr std::string_view primitive = "copy", pass = "forward";
  static constexpr std::int64_t Images::*images = &Images::N;
  static constexpr bool sum_of_products = true;
  static std::vector<TensorInfo> inputs(const Images& p) {
    return {{.name = "x", .dims = {p.N, 64}, .per_image = true}};
  }
  static std::vector<TensorInfo> outputs(const Images& p) {
    return {{.name = "y", .dims = {p.N, 64}, .per_image = true}};
  }
  static std::int64_t terms(const Images&) { return 1; }
  static double flops(const Images& p) { return static_cast<double>(p.N * 64); }
  static double least_flops(const Images& p) { return flops(p); }
  static void reference(const Images&, const PlainTensors& in, PlainTensors& out) {
    std::ranges::copy(in.values<double>(0), out.values<double>(0).begin());
  }
};

using Right = std::span<const float>;
using Output = std::span<float>;
using Run = std::function<void(Right, Output)>;  // fills an output in which `right` is expected

void copy(Right right, Output output) { std::ranges::copy(right, output.begin()); }

// Keeps its output between runs. It does not unpack what they never wrote.
class PreparedCopy final : public Prepared {
 public:
  PreparedCopy(const PlainTensors& in, Run run) : right_(in.values<float>(0)), run_(std::move(run)) {}
  void pack() override {}
  void run() override { run_(right_, output_); }
  void unpack(PlainTensors& out) override {
    for (std::size_t i = 0; i < output_.size(); ++i) {
      if (output_[i] != untouched) out.values<float>(0)[i] = output_[i];
    }
  }

 private:
  static constexpr float untouched = -1e30F;
  Right right_;
  Run run_;
  std::vector<float> output_ = std::vector<float>(right_.size(), untouched);
};

Contender<Copy> contender_that(Run run) {
  return {.name = "fake",
          .library = {"none", "1.0"},
          .prepare = [run](const Images&, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            return {std::make_unique<PreparedCopy>(in, run)};
          }};
}

// Three images of -20.5, -19.5, ..., so that a value in a wrong place is noticed.
Checked checked(const Contender<Copy>& contender) {
  TestData data{PlainTensors(Copy::inputs({3})), PlainTensors(with_dtype(Copy::outputs({1}), DType::f64)), 0};
  const auto one_image = data.expected.values<double>(0);
  std::iota(one_image.begin(), one_image.end(), -20.5);
  test_data::repeat(data.expected, data.inputs);
  return check(contender, {3}, data, {});
}

void expect_failed(const Contender<Copy>& contender, const std::string& reason) {
  const Verdict verdict = checked(contender).verdict;
  EXPECT_EQ(verdict.status, Status::failed);
  EXPECT_THAT(verdict.reason, HasSubstr(reason));
  EXPECT_FALSE(verdict.max_error == 0);
}

void expect_failed(const Run& run, const std::string& reason) { expect_failed(contender_that(run), reason); }

TEST(Checker, AcceptsTheRightAnswer) {
  const Checked right = checked(contender_that(copy));
  EXPECT_EQ(right.verdict.status, Status::ok);
  EXPECT_EQ(right.verdict.reason, "");
  EXPECT_EQ(right.verdict.max_error, 0);
  EXPECT_TRUE(right.prepared);
}

TEST(Checker, AcceptsTheRightAnswerOnTestDataOfTheOperation) {
  const TestData data = make_checkable_test_data<Copy>({8}, Fill::integers);
  EXPECT_EQ(check(contender_that(copy), {8}, data, {}).verdict.status, Status::ok);
}

TEST(Checker, SaysHowMuchMemoryTheContenderTook) {
  if (!PeakMemory().gained()) GTEST_SKIP() << "this system does not say how much memory a process has";
  constexpr std::size_t kMegabyte = std::size_t{1} << 20;
  const Checked found = checked(contender_that([](Right right, Output out) {
    std::vector<char> scratch(20 * kMegabyte, 1);
    copy(right, out);
  }));
  EXPECT_NEAR(*found.peak_bytes, 20.0 * kMegabyte, 3.0 * kMegabyte);
}

TEST(Checker, RefusesZeros) {
  expect_failed([](Right, Output out) { std::ranges::fill(out, 0.0F); }, "192 of 192 outputs in y are wrong");
}

TEST(Checker, RefusesUntouchedOutput) {
  expect_failed([](Right, Output) {}, "192 of 192 outputs in y are wrong, the first at element 0: nan instead of");
}

TEST(Checker, RefusesAnOutputWithItsLastElementUntouched) {
  expect_failed([](Right right, Output out) { copy(right.first(191), out); },
                "1 of 192 outputs in y are wrong, the first at element 191: nan");
}

TEST(Checker, RefusesATileOffByOne) {
  expect_failed(
      [](Right right, Output out) {
        copy(right, out);
        copy(right.subspan(65, 16), out.subspan(64));  // into the second image
      },
      "16 of 192 outputs in y are wrong, the first at element 64: -19.5 instead of -20.5");
}

TEST(Checker, RefusesOneWrongElementInTheLastImage) {
  const Verdict verdict = checked(contender_that([](Right right, Output out) {
                            copy(right, out);
                            out[190] += 0.25F;
                          })).verdict;
  EXPECT_EQ(verdict.status, Status::failed);
  EXPECT_THAT(verdict.reason, StartsWith("1 of 192 outputs in y are wrong, the first at element 190"));
  EXPECT_EQ(verdict.max_error, 0.25);
}

TEST(Checker, AllowsTheRoundingOfAnAlgorithm) {
  Contender<Copy> contender = contender_that([](Right right, Output out) {
    copy(right, out);
    out[5] += 0.5F;
  });
  expect_failed(contender, "1 of 192 outputs in y are wrong");
  contender.rounding = 0.45 / 42.5;  // the largest output is 42.5
  expect_failed(contender, "1 of 192 outputs in y are wrong");
  contender.rounding = 0.55 / 42.5;
  EXPECT_EQ(checked(contender).verdict.reason, "");
}

TEST(Checker, RefusesNanAndInfinity) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const Verdict verdict = checked(contender_that([bad](Right right, Output out) {
                              copy(right, out);
                              out[3] = bad;
                            })).verdict;
    EXPECT_EQ(verdict.status, Status::failed);
    EXPECT_THAT(verdict.reason, StartsWith("1 of 192 outputs in y are wrong, the first at element 3"));
    EXPECT_TRUE(std::isinf(verdict.max_error));
  }
}

TEST(Checker, RefusesRunsThatAddToEarlierOutput) {
  int runs = 0;
  expect_failed(
      [&](Right right, Output out) {
        ++runs;
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(runs) * right[i];
      },
      "192 of 192 outputs in y are wrong");
}

// Records its calls; the second pack() and the second run() take time.
class Recorded final : public Prepared {
 public:
  Recorded(std::string& calls, const PlainTensors& in) : calls_(calls), in_(in) {}
  void pack() override { note("pack ", 4); }
  void run() override { note("run ", 2); }
  void unpack(PlainTensors& out) override {
    calls_ += "unpack";
    std::ranges::copy(in_.values<float>(0), out.values<float>(0).begin());
  }

 private:
  void note(const char* call, int milliseconds) {
    const bool second = calls_.find(call) != std::string::npos;
    calls_ += call;
    if (second) std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }

  std::string& calls_;
  const PlainTensors& in_;
};

// The first calls also allocate memory and generate kernels.
TEST(Checker, PacksAndRunsTwiceAndTimesTheSecondCalls) {
  std::string calls;
  Contender<Copy> contender = contender_that(copy);
  contender.prepare = [&](const Images&, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
    return {std::make_unique<Recorded>(calls, in)};
  };
  const Checked recorded = checked(contender);
  EXPECT_EQ(recorded.verdict.reason, "");
  EXPECT_EQ(calls, "pack pack run run unpack");
  EXPECT_GE(recorded.pack_seconds, 0.004);  // it slept that long
  EXPECT_GE(recorded.run_seconds, 0.002);
}

// A device that does its queued work when somebody waits for it, and may fail.
class FakeQueue final : public DeviceQueue {
 public:
  void add(std::function<void()> work) { queued_.push_back(std::move(work)); }
  void wait() override {
    for (const auto& work : std::exchange(queued_, {})) work();
  }
  std::unique_ptr<Replay> record(std::function<void()> run) override;
  void displace_cache() override {}

 private:
  std::vector<std::function<void()>> queued_;
};

struct FakeReplay final : Replay {
  double seconds(std::int64_t runs) override {
    for (std::int64_t i = 0; i < runs; ++i) run();
    queue->wait();
    return 0.25 * static_cast<double>(runs);
  }
  FakeQueue* queue = nullptr;
  std::function<void()> run;
};

std::unique_ptr<Replay> FakeQueue::record(std::function<void()> run) {
  auto replay = std::make_unique<FakeReplay>();
  replay->queue = this;
  replay->run = std::move(run);
  return replay;
}

class CopyOnDevice final : public Prepared {
 public:
  CopyOnDevice(const PlainTensors& in, Run run) : right_(in.values<float>(0)), run_(std::move(run)) {}
  void pack() override { std::ranges::fill(output_, std::numeric_limits<float>::quiet_NaN()); }
  void run() override {
    queue_.add([this] { run_(right_, output_); });
  }
  void unpack(PlainTensors& out) override { std::ranges::copy(output_, out.values<float>(0).begin()); }
  DeviceQueue* queue() override { return &queue_; }

 private:
  Right right_;
  Run run_;
  FakeQueue queue_;
  std::vector<float> output_ = std::vector<float>(right_.size());
};

Contender<Copy> contender_on_device(Run run) {
  Contender<Copy> contender = contender_that(run);
  contender.prepare = [run](const Images&, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
    return {std::make_unique<CopyOnDevice>(in, run)};
  };
  return contender;
}

TEST(CheckerOfADevice, AcceptsTheRightAnswerAndTakesTheDevicesTime) {
  const Checked right = checked(contender_on_device(copy));
  EXPECT_EQ(right.verdict.reason, "");
  EXPECT_TRUE(right.prepared && right.replay);
  EXPECT_EQ(right.run_seconds, 0.25);
}

TEST(CheckerOfADevice, RefusesReplaysThatDoNothingOrAddToEarlierOutput) {
  int runs = 0;
  expect_failed(contender_on_device([&](Right right, Output out) {
                  if (++runs == 1) copy(right, out);
                }),
                "192 of 192 outputs in y are wrong, the first at element 0: nan");
  float times = 0;
  expect_failed(contender_on_device([&](Right right, Output out) {
                  times += 1;
                  for (std::size_t i = 0; i < out.size(); ++i) out[i] = times * right[i];
                }),
                "192 of 192 outputs in y are wrong");
}

TEST(CheckerOfADevice, ReportsAFailureOfQueuedWork) {
  for (const int failing : {1, 2, 3}) {
    int runs = 0;
    const Checked failed = checked(contender_on_device([&](Right right, Output out) {
      if (++runs == failing) throw std::runtime_error("an illegal address was met");
      copy(right, out);
    }));
    EXPECT_EQ(failed.verdict.status, Status::failed);
    EXPECT_EQ(failed.verdict.reason, "an illegal address was met");
    EXPECT_FALSE(failed.prepared || failed.replay);
  }
}

TEST(Checker, TurnsExceptionsIntoTheReason) {
  expect_failed([](Right, Output) { throw std::runtime_error("the library refuses"); }, "the library refuses");
  const auto throws = [](Right, Output) { throw std::logic_error("called wrongly"); };
  expect_failed(throws, "called wrongly");
  EXPECT_FALSE(checked(contender_that(throws)).prepared);

  Contender<Copy> contender = contender_that(copy);
  contender.prepare = [](auto&&...) -> Result<PreparedPtr> { throw std::runtime_error("no memory for its layouts"); };
  expect_failed(contender, "no memory for its layouts");
  EXPECT_FALSE(checked(contender).prepared);
}

TEST(Checker, DoesNotReturnAContenderThatThrew) {
  EXPECT_FALSE(checked(contender_that([](Right, Output) { throw std::runtime_error("refused"); })).prepared);
}

TEST(Checker, PassesOnTheReasonOfARefusal) {
  Contender<Copy> contender = contender_that(copy);
  for (const auto status : {Status::unsupported, Status::misfit}) {
    contender.prepare = [status](auto&&...) { return Result<PreparedPtr>(status, "no such instruction set"); };
    const Checked refused = checked(contender);
    EXPECT_EQ(refused.verdict.status, status);
    EXPECT_EQ(refused.verdict.reason, "no such instruction set");
    EXPECT_TRUE(std::isnan(refused.verdict.max_error));
    EXPECT_FALSE(refused.prepared);
  }
}

TEST(AbsentLibrary, SaysHowToGetItAndIsNeverCalled) {
  Contender<Copy> contender = absent_library<Copy>("onednn", "oneDNN");
  EXPECT_EQ(contender.name, "onednn");
  EXPECT_EQ(contender.library.name, "oneDNN");
  EXPECT_EQ(contender.library.version, "");
  contender.prepare = [](auto&&...) -> Result<PreparedPtr> { throw std::logic_error("called all the same"); };
  const Checked absent = checked(contender);
  EXPECT_EQ(absent.verdict.status, Status::absent);
  EXPECT_THAT(absent.verdict.reason, StartsWith("built without oneDNN: run scripts/setup"));
  EXPECT_FALSE(absent.prepared);
}

}  // namespace
}  // namespace brickwork
