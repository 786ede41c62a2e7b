// The definitions of convolution's passes compute blocks of outputs on many threads. Their results have the same bits
// as those of plain loops that add one product after the other, in the order stated at each function.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "primitives/conv/op/conv_backward_data_op.hpp"
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/conv/op/conv_weight_update_op.hpp"
#include "primitives/op/test_values.hpp"
#include "primitives/op/testing/definition.hpp"

namespace brickwork {
namespace {

// The index in the image that an output reads by a tap, or -1 in the padding.
std::int64_t place_in_image(std::int64_t output, std::int64_t stride, std::int64_t tap, std::int64_t pad,
                            std::int64_t size) {
  const std::int64_t place = output * stride + tap - pad;
  return place < size ? std::max<std::int64_t>(place, -1) : -1;
}

// Calls with(h, w) for the pixel that output (row, q) reads by tap (r, s), unless it is in the padding.
template <class With>
void with_pixel(const ConvProblem& p, std::int64_t row, std::int64_t q, std::int64_t r, std::int64_t s,
                const With& with) {
  const std::int64_t h = place_in_image(row, p.stride_h, r, p.pad_h, p.H);
  const std::int64_t w = place_in_image(q, p.stride_w, s, p.pad_w, p.W);
  if (h >= 0 && w >= 0) with(h, w);
}

// Adds in the order r, s, c.
Values plain_forward(const ConvProblem& p, const Values& src, const Values& weights) {
  Values dst;
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t k = 0; k < p.K; ++k)
      for (std::int64_t row = 0; row < p.P(); ++row)
        for (std::int64_t q = 0; q < p.Q(); ++q) {
          double sum = 0;
          for (std::int64_t r = 0; r < p.R; ++r)
            for (std::int64_t s = 0; s < p.S; ++s)
              with_pixel(p, row, q, r, s, [&](std::int64_t h, std::int64_t w) {
                for (std::int64_t c = 0; c < p.C; ++c) {
                  sum += weights[((k * p.C + c) * p.R + r) * p.S + s] * src[((n * p.C + c) * p.H + h) * p.W + w];
                }
              });
          dst.push_back(sum);
        }
  return dst;
}

// Adds in the order k, row, s.
Values plain_backward(const ConvProblem& p, const Values& ddst, const Values& weights) {
  Values dsrc(static_cast<std::size_t>(p.N * p.C * p.H * p.W));
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t c = 0; c < p.C; ++c)
      for (std::int64_t k = 0; k < p.K; ++k)
        for (std::int64_t row = 0; row < p.P(); ++row)
          for (std::int64_t r = 0; r < p.R; ++r)
            for (std::int64_t s = 0; s < p.S; ++s)
              for (std::int64_t q = 0; q < p.Q(); ++q)
                with_pixel(p, row, q, r, s, [&](std::int64_t h, std::int64_t w) {
                  dsrc[((n * p.C + c) * p.H + h) * p.W + w] +=
                      weights[((k * p.C + c) * p.R + r) * p.S + s] * ddst[((n * p.K + k) * p.P() + row) * p.Q() + q];
                });
  return dsrc;
}

// Sums each column over images and rows, and then adds these sums column by column.
Values plain_update(const ConvProblem& p, const Values& src, const Values& ddst) {
  Values dweights;
  for (std::int64_t k = 0; k < p.K; ++k)
    for (std::int64_t c = 0; c < p.C; ++c)
      for (std::int64_t r = 0; r < p.R; ++r)
        for (std::int64_t s = 0; s < p.S; ++s) {
          double sum = 0;
          for (std::int64_t q = 0; q < p.Q(); ++q) {
            double of_column = 0;
            for (std::int64_t n = 0; n < p.N; ++n)
              for (std::int64_t row = 0; row < p.P(); ++row)
                with_pixel(p, row, q, r, s, [&](std::int64_t h, std::int64_t w) {
                  of_column +=
                      ddst[((n * p.K + k) * p.P() + row) * p.Q() + q] * src[((n * p.C + c) * p.H + h) * p.W + w];
                });
            sum += of_column;
          }
          dweights.push_back(sum);
        }
  return dweights;
}

// Values whose sums are rounded, so that another order of addition gives other bits.
Values rounded_values(std::int64_t size, const char* seed) {
  Values values(static_cast<std::size_t>(size));
  TestValues(Fill::floats, 1, seed).fill(values);
  return values;
}

std::uint64_t hash_of(const Values& values) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const double value : values) hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211U;
  return hash;
}

struct ConvValues {
  explicit ConvValues(const ConvProblem& p)
      : src(rounded_values(p.N * p.C * p.H * p.W, "src")),
        weights(rounded_values(p.K * p.C * p.R * p.S, "weights")),
        ddst(rounded_values(p.N * p.K * p.P() * p.Q(), "ddst")) {}
  Values src, weights, ddst;
};

// A random problem with more or fewer channels and pixels than a block has.
ConvProblem conv_of_blocks() {
  const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
  ConvProblem p{.N = in(1, 3), .C = in(1, 40), .K = in(1, 40), .R = in(1, 4), .S = in(1, 4)};
  p.pad_h = in(0, 3);
  p.pad_w = in(0, 3);
  p.H = in(std::max<std::int64_t>(1, p.R - 2 * p.pad_h), 8);
  p.W = in(std::max<std::int64_t>(1, p.S - 2 * p.pad_w), 8);
  p.stride_h = in(1, 5);
  p.stride_w = in(1, 5);
  p.validate();
  return p;
}

TEST(ConvDefinitions, HaveTheBitsOfPlainLoops) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = conv_of_blocks();
    const ConvValues in(p);
    RC_ASSERT(hash_of(by_definition<ConvForwardOp>(p, {in.src, in.weights})) ==
              hash_of(plain_forward(p, in.src, in.weights)));
    RC_ASSERT(hash_of(by_definition<ConvBackwardDataOp>(p, {in.ddst, in.weights})) ==
              hash_of(plain_backward(p, in.ddst, in.weights)));
    RC_ASSERT(hash_of(by_definition<ConvWeightUpdateOp>(p, {in.src, in.ddst})) ==
              hash_of(plain_update(p, in.src, in.ddst)));
  }));
}

// Each number of threads needs its own process, as Kokkos starts once per process.
TEST(ConvDefinitions, HaveTheSameBitsOnOneTwoAndThreeThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto p = parse_problem<ConvProblem>("N2 C37 K35 H9 W11 R3 sh2 sw1 ph1");
  const ConvValues in(p);
  const auto report = [&](int threads) {
    return std::to_string(threads) +
           " threads: " + std::to_string(hash_of(by_definition<ConvForwardOp>(p, {in.src, in.weights}))) + " " +
           std::to_string(hash_of(by_definition<ConvBackwardDataOp>(p, {in.ddst, in.weights}))) + " " +
           std::to_string(hash_of(by_definition<ConvWeightUpdateOp>(p, {in.src, in.ddst})));
  };
  for (int threads = 1; threads <= 3; ++threads) {
    setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
    EXPECT_EXIT(
        {
          std::cerr << report(Kokkos::DefaultHostExecutionSpace().concurrency());
          std::exit(0);
        },
        testing::ExitedWithCode(0), report(threads));
  }
}

}  // namespace
}  // namespace brickwork
