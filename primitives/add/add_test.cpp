#include "primitives/add/add.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "primitives/add/op/add_ops.hpp"
#include "primitives/testing/elementwise_check.hpp"

namespace brickwork {
namespace {

void run_forward(const AddProblem& p, const PlainTensors& in, PlainTensors& out, const ElementwisePlan& plan) {
  add(in.at<float>("a"), in.at<float>("b"), out.at<float>("dst"), p.elements(), p.relu, plan);
}

void run_backward(const AddProblem& p, const PlainTensors& in, PlainTensors& out, const ElementwisePlan& plan) {
  relu_backward(in.at<float>("dst"), in.at<float>("ddst"), out.at<float>("dsrc"), p.elements(), plan);
}

TEST(Add, IsExactAtEveryEdge) {
  for (const char* text :
       {"E1", "E1 none", "E15", "E16", "E17 none", "N3 E31", "N2 E16383", "E16384 none", "N7 E16385"}) {
    const auto p = parse_problem<AddProblem>(text);
    expect_exact<AddForwardOp>(p, run_forward);
    if (p.relu) expect_exact<AddBackwardOp>(p, run_backward);
  }
}

TEST(Add, IsExactOnRandomProblems) {
  EXPECT_TRUE(rc::check([] {
    AddProblem p;
    p.N = *rc::gen::inRange(1, 9);
    p.E = *rc::gen::inRange(1, 40'000);
    p.relu = *rc::gen::arbitrary<bool>();
    expect_exact<AddForwardOp>(p, run_forward);
    if (p.relu) expect_exact<AddBackwardOp>(p, run_backward);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

TEST(Add, TakesArraysOfAnyAlignmentAndWritesOnlyItsOutput) {
  for (const Sweep sweep : {Sweep::cached, Sweep::stream}) {
    for (const int shift : {0, 1, 4}) {
      constexpr int kSize = 70;
      AlignedBuffer<float> a(kSize + 16), b(kSize + 16), dst(kSize + 32);
      for (int i = 0; i < kSize; ++i) a[i + 3] = static_cast<float>(i), b[i + shift] = 2;
      std::ranges::fill(dst, -1.0f);
      add(a.data() + 3, b.data() + shift, dst.data() + shift, kSize, true, {.sweep = sweep});
      for (int i = 0; i < kSize + 32; ++i) {
        const bool inside = i >= shift && i < shift + kSize;
        ASSERT_EQ(dst[i], inside ? static_cast<float>(i - shift + 2) : -1.0f) << i << " shifted by " << shift;
      }
    }
  }
}

TEST(Add, OutputsMayBeInputs) {
  for (const Sweep sweep : {Sweep::cached, Sweep::stream}) {
    AlignedBuffer<float> a(100), b(100);
    for (int i = 0; i < 100; ++i) a[i] = 1, b[i] = static_cast<float>(i);
    add(a.data(), b.data(), b.data(), 100, true, {.sweep = sweep});
    for (int i = 0; i < 100; ++i) ASSERT_EQ(b[i], static_cast<float>(i + 1));
    relu_backward(b.data(), a.data(), a.data(), 100, {.sweep = sweep});
    for (int i = 0; i < 100; ++i) ASSERT_EQ(a[i], 1);
  }
}

TEST(Add, NaNStaysNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), one = 1;
  float out = 0;
  add(&nan, &one, &out, 1, true, {});
  EXPECT_TRUE(std::isnan(out));
  relu_backward(&one, &nan, &out, 1, {});
  EXPECT_TRUE(std::isnan(out));
}

TEST(ElementwisePlan, StreamsTensorsThatTheCachesDoNotHold) {
  const MachineModel machine{.l3_bytes = 1000, .sweep = Sweep::stream_l2};  // a share of 300 belongs to others
  EXPECT_EQ(plan_elementwise(699, machine).sweep, Sweep::cached);
  EXPECT_EQ(plan_elementwise(701, machine).sweep, Sweep::stream_l2);
}

TEST(ElementwisePlan, TextFormRoundTrips) {
  for (const auto text : kSweeps) EXPECT_EQ(to_string(parse_elementwise_plan(text)), text);
  EXPECT_EQ(parse_elementwise_plan("stream-l2").sweep, Sweep::stream_l2);
  EXPECT_THROW(parse_elementwise_plan("streams"), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
