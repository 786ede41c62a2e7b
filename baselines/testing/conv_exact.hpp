// Problems on which every pass of every convolution baseline must be exact.
#pragma once
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <algorithm>

#include "baselines/testing/exact.hpp"
#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork {

// 1x1 and 3x3 filters, padding, strides, odd sizes, nothing square; and sizes for which LIBXSMM has loops of its own.
inline constexpr const char* kConvProblems[] = {
    "N2 C64 K64 H7",                          // 1x1
    "N1 C1 K1 H1",                            // one multiplication
    "N2 C32 K48 H14 R3 ph1",                  // 3x3, padded
    "N1 C16 K16 H28 R3 ph1",                  //
    "N2 C64 K128 H56",                        // LIBXSMM splits rows of 56 pixels
    "N3 C256 K64 H14 R3 ph1",                 //
    "N2 C64 K32 H15 sh2",                     // stride, odd input
    "N2 C16 K32 H14 R3 sh2 ph1",              //
    "N1 C3 K64 H32 R7 sh2 ph3",               // the first layer
    "N2 C3 K16 H33 R7 sh2 ph3",               //
    "N3 C5 K7 H9 R3 ph1",                     // odd C and K
    "N2 C70 K33 H8",                          //
    "N1 C13 K67 H11 R5 ph2",                  //
    "N2 C8 K8 H12 W7 R3 S5 sh1 sw2 ph0 pw3",  // nothing square
    "N2 C8 K8 H5 W9 R1 S3 ph0 pw1",           //
    "N3 C16 K16 H6 R2 sh3 ph3",               // taps that see only padding
    "N2 C128 K576 H13 sh2",                   // LIBXSMM drops the stride into its scratch
    "N2 C1024 K512 H7",                       // LIBXSMM splits over K
    "N2 C512 K512 H7 R3 ph1",                 // LIBXSMM permutes the filters
    "N1 C2048 K512 H7",                       //
};

template <Operation Op>
void expect_exact_or_refused(const Contender<Op>& contender, const std::vector<std::string>& epilogues) {
  for (const std::string& epilogue : epilogues) {
    for (const char* sizes : {"N2 C16 K32 H9 R3 ph1 ", "N1 C5 K7 H6 ", "N2 C3 K16 H17 R7 sh2 ph3 "}) {
      const auto p = parse_problem<ConvProblem>(sizes + epilogue);
      const TestData data = make_checkable_test_data<Op>(p, Fill::integers);
      if (const Verdict verdict = verdict_on(contender, p, data, 2); verdict.status == Status::unsupported) {
        EXPECT_THAT(verdict.reason, testing::HasSubstr("epilogue must be none"));
      } else {
        EXPECT_TRUE(is_exact(contender, p, data, 2));
      }
    }
  }
}

// Small problems, and some with the heights and widths of ResNet-50, for which LIBXSMM has special rules.
inline ConvProblem random_baseline_conv() {
  const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
  const bool large = *rc::gen::weightedElement<bool>({{3, false}, {1, true}});
  const auto size = [&](std::int64_t least) {
    return large ? std::max(least, *rc::gen::element<std::int64_t>(7, 13, 14, 27, 28, 29, 55, 56, 57, 58, 112))
                 : in(least, 12);
  };
  ConvProblem p;
  p.N = in(1, 4);
  p.C = in(1, large ? 9 : 70);
  p.K = in(1, large ? 9 : 70);
  p.R = in(1, 4);
  p.S = in(1, 4);
  p.pad_h = in(0, 3);
  p.pad_w = in(0, 3);
  p.H = size(std::max<std::int64_t>(1, p.R - 2 * p.pad_h));
  p.W = size(std::max<std::int64_t>(1, p.S - 2 * p.pad_w));
  p.stride_h = in(1, 3);
  p.stride_w = *rc::gen::weightedElement<bool>({{1, false}, {1, true}}) ? p.stride_h : in(1, 3);
  p.validate();
  return p;
}

}  // namespace brickwork
