#include "primitives/conv/op/conv_problem.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <stdexcept>

#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

void expect_error(std::string_view text, std::string_view part) {
  EXPECT_NE(error_of<ConvProblem>(text).find(part), std::string::npos)
      << text << " gave: " << error_of<ConvProblem>(text);
}

TEST(ConvProblem, ComputesOutputSizes) {
  const ConvProblem first = parse_problem<ConvProblem>("N28 C3 K64 H224 R7 sh2 ph3");
  EXPECT_EQ(first.P(), 112);
  EXPECT_EQ(first.Q(), 112);
  const ConvProblem uneven = parse_problem<ConvProblem>("C1 K1 H10 W7 R3 S2 sh3 sw2 ph1 pw0");
  EXPECT_EQ(uneven.P(), 4);
  EXPECT_EQ(uneven.Q(), 3);
}

TEST(ConvProblem, CountsFlopsAndBytesOfTheFirstLayer) {
  ConvProblem p = parse_problem<ConvProblem>("C3 K64 H224 R7 sh2 ph3");
  EXPECT_EQ(p.flops(), 2.0 * 64 * 112 * 112 * 3 * 7 * 7);
  EXPECT_EQ(bytes_of<ConvForwardOp>(p), 4.0 * (3 * 224 * 224 + 64 * 3 * 7 * 7 + 64 * 112 * 112));
  // 3x3 on 7x7 with padding 1: in each dimension 7 + 6 + 6 of 3 * 7 taps are inside.
  EXPECT_EQ(parse_problem<ConvProblem>("C1 K1 H7 R3 ph1").least_flops(), 2.0 * 19 * 19);
  EXPECT_EQ(parse_problem<ConvProblem>("N2 C3 K5 H7").least_flops(), parse_problem<ConvProblem>("N2 C3 K5 H7").flops());
  EXPECT_EQ(parse_problem<ConvProblem>("C1 K1 H2 ph3").least_flops(), 2.0 * 2 * 2);
  p.epilogue = {.bias = true, .residual = true};
  EXPECT_EQ(bytes_of<ConvForwardOp>(p), 4.0 * (3 * 224 * 224 + 64 * 3 * 7 * 7 + 2 * 64 * 112 * 112 + 64));
}

// Counts the taps of every output one by one, and those inside the image.
TEST(ConvProblem, CountsTwoFlopsForEveryTap) {
  EXPECT_TRUE(rc::check([] {
    const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
    ConvProblem p{.N = in(1, 3), .C = in(1, 3), .K = in(1, 3), .R = in(1, 5), .S = in(1, 5)};
    p.stride_h = in(1, 4), p.stride_w = in(1, 4), p.pad_h = in(0, 6), p.pad_w = in(0, 6);
    p.H = in(std::max<std::int64_t>(1, p.R - 2 * p.pad_h), 9),
    p.W = in(std::max<std::int64_t>(1, p.S - 2 * p.pad_w), 9);
    double taps = 0, inside = 0;
    for (std::int64_t row = 0; row < p.P(); ++row)
      for (std::int64_t column = 0; column < p.Q(); ++column)
        for (std::int64_t r = 0; r < p.R; ++r)
          for (std::int64_t s = 0; s < p.S; ++s) {
            const std::int64_t h = row * p.stride_h + r - p.pad_h, w = column * p.stride_w + s - p.pad_w;
            taps += 1;
            inside += h >= 0 && h < p.H && w >= 0 && w < p.W;
          }
    const double sums = 2.0 * static_cast<double>(p.N * p.K * p.C);
    RC_ASSERT(p.flops() == sums * taps);
    RC_ASSERT(p.least_flops() == sums * inside);
  }));
}

TEST(ConvProblem, ReadsKeysInAnyOrderWithDefaults) {
  const ConvProblem p = parse_problem<ConvProblem>("ph1, H56 K128  C64 R3 sh2");
  EXPECT_EQ(to_string(p), "N1_C64_K128_H56_W56_R3_S3_sh2_sw2_ph1_pw1");
  EXPECT_EQ(to_string(parse_problem<ConvProblem>("C1_K2_H3")), "N1_C1_K2_H3_W3_R1_S1_sh1_sw1_ph0_pw0");
  EXPECT_EQ(to_string(parse_problem<ConvProblem>("C1 K2 H3 relu")), "N1_C1_K2_H3_W3_R1_S1_sh1_sw1_ph0_pw0_relu");
}

TEST(ConvProblem, TextFormRoundTrips) {
  EXPECT_TRUE(rc::check([] {
    const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high); };
    ConvProblem p;
    p.N = in(1, 300);
    p.C = in(1, 300);
    p.K = in(1, 300);
    p.H = in(8, 300);
    p.W = in(8, 300);
    p.R = in(1, 8);
    p.S = in(1, 8);
    p.stride_h = in(1, 5);
    p.stride_w = in(1, 5);
    p.pad_h = in(0, 5);
    p.pad_w = in(0, 5);
    p.epilogue = {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(),
                  *rc::gen::element(Activation::relu, Activation::gelu), *rc::gen::arbitrary<bool>()};
    RC_ASSERT(parse_problem<ConvProblem>(to_string(p)) == p);
  }));
}

TEST(ConvProblem, IdentityIsSizesAndEpilogue) {
  const ConvProblem p = parse_problem<ConvProblem>("C4 K5 H6");
  ConvProblem q = p;
  q.name = "conv1";
  q.count = 7;
  EXPECT_EQ(p, q);
  q.pad_w = 1;
  EXPECT_FALSE(p == q);
  q = p;
  q.epilogue.bias = true;
  EXPECT_FALSE(p == q);
}

TEST(ConvProblem, MalformedTextNamesTheWord) {
  expect_error("", "lacks C");
  expect_error("C64 H3", "'C64 H3' lacks K");
  expect_error("C64 K64 H3 X4", "'X4' is no size and no other word: expected one of the keys N C K H");
  expect_error("c64 K64 H3", "'c64' is no size");
  expect_error("C64x K64 H3", "'C64x' has no whole number after C");
  expect_error("C K64 H3", "'C' has no whole number after C");
  expect_error("C6.5 K64 H3", "'C6.5' has no whole number after C");
  expect_error("C+6 K64 H3", "'C+6' has no whole number after C");
  expect_error("64 K64 H3", "'64' is no size");
  expect_error("C64 C65 K1 H3", "'C65' gives C a second time after 'C64'");
  expect_error("C99999999999999999999 K1 H3", "the number in 'C99999999999999999999' is too large");
  expect_error("C1 K1 H3 relu+bias", "or an epilogue: none, or some of bias, residual, relu|");
  expect_error("C1 K1 H3 bias relu", "'relu' gives epilogue a second time after 'bias'");
}

TEST(ConvProblem, ImpossibleSizesAreRefused) {
  expect_error("C0 K1 H3", "C is 0: it must be from 1");
  expect_error("C-3 K1 H3", "C is -3: it must be from 1");
  expect_error("C1 K1 H3 sh0", "sh is 0: it must be from 1");
  expect_error("C1 K1 H3 ph-1", "ph is -1: it must be from 0");
  expect_error("C1 K1 H3 R6 ph1", "R is 6: it must not exceed the padded input, H + 2 * 1 = 5");
  expect_error("C1 K1 H5 W2 R3", "S is 3: it must not exceed the padded input, W + 2 * 0 = 2");
  expect_error("N1048576 C1048576 K1 H2", "src has 1048576 * 1048576 * 2 * 2 elements: at most 2^40");
  expect_error("N1048576 C1 K1048576 H2", "dst has 1048576 * 1048576 * 2 * 2 elements");
  expect_error("C1048576 K1048577 H1", "weights has 1048577 * 1048576 * 1 * 1 elements");
  expect_error("C1 K1 H1 ph1099511627776", "src has");
  expect_error("C1099511627777 K1 H1", "C is 1099511627777: it must be from 1 to 2^40");
  EXPECT_EQ(error_of<ConvProblem>("N1048576 C1048576 K1 H1"), "");
  ConvProblem p = parse_problem<ConvProblem>("C1 K1 H1");
  p.count = 0;
  EXPECT_THROW(p.validate(), std::invalid_argument);
}

TEST(ConvProblem, ColumnsHaveEverySizeAndTheEpilogue) {
  const auto columns = size_columns(parse_problem<ConvProblem>("N2 C3 K4 H5 W6 R2 S3 sh1 sw2 ph0 pw1 bias+relu"));
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"N", "2"}, {"C", "3"},        {"K", "4"},        {"H", "5"},     {"W", "6"},     {"R", "2"},
      {"S", "3"}, {"stride_h", "1"}, {"stride_w", "2"}, {"pad_h", "0"}, {"pad_w", "1"}, {"epilogue", "bias+relu"}};
  EXPECT_EQ(columns, expected);
}

}  // namespace
}  // namespace brickwork
