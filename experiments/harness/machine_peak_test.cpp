#include "machine_peak.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/only_target.hpp"

namespace brickwork {
namespace {

TEST(FmaPeak, CountsTwoOperationsAMultiplyAdd) {
  for_every_target([](const char* name) {
    for (const int threads : {1, 2, 3}) {
      const FmaPeak peak(threads, 1000);
      EXPECT_EQ(peak.isa(), name);
      const double multiply_adds = peak.run(1, 1) - peak.run(1, 0);
      EXPECT_GE(multiply_adds, 1000.0 * threads) << name;
      EXPECT_EQ(peak.flop(), 2 * multiply_adds) << name << ", " << threads << " threads";
    }
  });
}

TEST(FmaPeak, ConvergesToTwo) {
  const FmaPeak peak(2);
  const double accumulators = peak.run(0, 1);  // each is 1
  EXPECT_GT(accumulators, 0);
  EXPECT_EQ(peak.run(), 2 * accumulators);
}

// What one element of an array lived through.
struct Counted {
  // On its way from arrays to an array.
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

TEST(StreamTriad, CountsWhatItDoesToEveryElement) {
  for (const int threads : {1, 3}) {
    BasicStreamTriad<Counted> triad(threads, 0);
    triad.run();
    double flop = 0, accesses = 0;
    for (const Counted& element : triad.result()) {
      ASSERT_EQ(element.writes, 1);
      ASSERT_EQ(element.reads, 2);
      flop += element.flop;
      accesses += element.reads + element.writes;
    }
    EXPECT_EQ(triad.flop(), flop);
    EXPECT_EQ(triad.bytes(), accesses * sizeof(Counted));
  }
}

TEST(StreamTriad, ComputesWithDoubles) {
  StreamTriad triad(2, 0);
  EXPECT_EQ(triad.bytes(), 12 * triad.flop());
  triad.run();
  EXPECT_TRUE(std::ranges::all_of(triad.result(), [](double x) { return x == 1 + 3.0 * 2; }));
}

TEST(StreamTriad, TakesArraysOfFourTimesTheLastLevel) {
  const std::int64_t l3_bytes = 5 << 20;
  EXPECT_EQ(StreamTriad(1, l3_bytes).bytes(), 3.0 * 4 * l3_bytes);
}

}  // namespace
}  // namespace brickwork
