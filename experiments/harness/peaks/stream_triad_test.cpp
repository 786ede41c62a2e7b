#include "experiments/harness/peaks/stream_triad.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/testing/only_target.hpp"

namespace brickwork {
namespace {

// An element that counts its reads, writes and flops.
struct Counted {
  // A value between the elements that it is computed from and the element that it is assigned to.
  struct Value {
    int reads, flop;
  };

  Counted() = default;
  explicit Counted(double) {}
  operator Value() const { return {.reads = 1, .flop = 0}; }  // NOLINT(google-explicit-constructor)
  Counted& operator=(Value value) {
    reads += value.reads;
    flop += value.flop;
    ++writes;
    return *this;
  }

  int reads = 0, flop = 0, writes = 0;
};

Counted::Value operator+(Counted::Value a, Counted::Value b) { return {a.reads + b.reads, a.flop + b.flop + 1}; }
Counted::Value operator*(double, Counted::Value a) { return {a.reads, a.flop + 1}; }

TEST(StreamTriad, CountsTheFlopsAndBytesOfEveryElement) {
  for (const int threads : {1, 3}) {
    BasicStreamTriad<Counted> stream(threads, 0, {{"counted", triad}});
    stream.run();
    double flop = 0, accesses = 0;
    for (const Counted& element : stream.result()) {
      ASSERT_EQ(element.writes, 1);
      ASSERT_EQ(element.reads, 2);
      flop += element.flop;
      accesses += element.reads + element.writes;
    }
    EXPECT_EQ(stream.flop(), flop);
    EXPECT_EQ(stream.bytes(), accesses * sizeof(Counted));
  }
}

TEST(StreamTriad, EveryLoopComputesTheSame) {
  for_every_target([](const char* name) {
    for (const int threads : {1, 3}) {
      for (const std::ptrdiff_t size : {1, 7, 33, 100'001}) {
        AlignedBuffer<double> a(static_cast<std::size_t>(size)), b(a.size()), c(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) b[i] = static_cast<double>(i), c[i] = static_cast<double>(i % 5);
        for (const auto loop : {triad<double>, triad_past_caches}) {
          std::ranges::fill(a, 0.0);
          loop(a.data(), b.data(), c.data(), size, threads);
          for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], b[i] + 3 * c[i]) << name << " at " << i;
        }
      }
    }
  });
}

TEST(StreamTriad, TakesTheFastestLoop) {
  constexpr auto slow = [](double*, const double*, const double*, std::ptrdiff_t, int) {
    const double start = steady_seconds();
    while (steady_seconds() - start < 1e-3) continue;
  };
  constexpr auto fast = [](double* a, const double*, const double*, std::ptrdiff_t, int) { a[0] = 1; };
  EXPECT_EQ(BasicStreamTriad<double>(1, 0, {{"slow", slow}, {"fast", fast}}).stores(), "fast");
  EXPECT_EQ(BasicStreamTriad<double>(1, 0, {{"fast", fast}, {"slow", slow}}).stores(), "fast");
}

TEST(StreamTriad, ComputesWithDoubles) {
  StreamTriad stream(2, 0);
  EXPECT_EQ(stream.bytes(), 12 * stream.flop());
  stream.run();
  EXPECT_TRUE(std::ranges::all_of(stream.result(), [](double x) { return x == 1 + 3.0 * 2; }));
}

TEST(StreamTriad, TakesArraysOfFourTimesTheLastLevel) {
  const auto bytes = [](std::int64_t mib) {
    return BasicStreamTriad<double>(1, mib << 20, {{"stores", triad}}).bytes();
  };
  EXPECT_EQ(bytes(5), 3.0 * 4 * (5 << 20));
  EXPECT_NEAR(bytes(32), 256 << 20, 24);
  EXPECT_NEAR(bytes(80), 4 * (80 << 20), 24);  // such a large last level counts four times in all
}

}  // namespace
}  // namespace brickwork
