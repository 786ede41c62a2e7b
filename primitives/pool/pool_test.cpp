#include "primitives/pool/pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/testing/guarded_buffer.hpp"
#include "primitives/nest/testing/on_one_thread.hpp"
#include "primitives/op/test_data.hpp"
#include "primitives/pool/op/pool_ops.hpp"
#include "primitives/testing/spoilt_images.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct PoolPads {
  std::int64_t src = 0, dst = 0, ddst = 0, dsrc = 0;
};

class PlainPool {
 public:
  PlainPool(const PoolProblem& p, const PoolPlan& plan, const PoolPads& pads = {})
      : p_(p), pool_(p, plan), pads_(pads), indices_(pool_.make_indices()) {
    std::ranges::fill(indices_, std::byte{0xEE});
  }

  PlainTensors forward(const float* src) {
    const BlockedImages from({p_.N, p_.C, p_.H, p_.W, pads_.src, bc()}, src);
    SpoiltImages to({p_.N, p_.C, p_.P(), p_.Q(), pads_.dst, bc()});
    pool_.forward(from.input(), to.output(), indices_.data());
    return unpacked<PoolForwardOp>(to);
  }

  PlainTensors backward(const float* src, const float* ddst) {
    const bool max = p_.kind == PoolKind::max;
    if (max) forward(src);
    const BlockedImages from({p_.N, p_.C, p_.P(), p_.Q(), pads_.ddst, bc()}, ddst);
    SpoiltImages to({p_.N, p_.C, p_.H, p_.W, pads_.dsrc, bc()});
    pool_.backward(from.input(), indices_.data(), to.output());
    return unpacked<PoolBackwardOp>(to);
  }

  std::int64_t index(std::size_t i) const { return std::to_integer<std::int64_t>(indices_[i]); }

 private:
  std::int64_t bc() const { return pool_.plan().bc; }
  template <class Op>
  PlainTensors unpacked(SpoiltImages& images) const {
    PlainTensors out(Op::outputs(p_));
    EXPECT_EQ(images.fault(), "");
    images.unpack(out.values<float>(0).data());
    return out;
  }

  PoolProblem p_;
  Pool pool_;
  PoolPads pads_;
  AlignedBuffer<std::byte> indices_;
};

std::string pool_faults(const PoolProblem& p, const PoolPlan& plan, const PoolPads& pads = {}) {
  PlainPool pool(p, plan, pads);
  const TestData f = make_checkable_test_data<PoolForwardOp>(p, Fill::floats);
  const TestData b = make_checkable_test_data<PoolBackwardOp>(p, Fill::floats);
  return compare(pool.forward(f.inputs.at<float>("src")), f.expected, f.tolerance).reason +
         compare(pool.backward(b.inputs.at<float>("src"), b.inputs.at<float>("ddst")), b.expected, b.tolerance).reason;
}

TEST(Pool, IsRightForEveryBlockSize) {
  for (std::int64_t bc = 1; bc <= 70; ++bc) {
    for (const char* kind : {"max", "average", "average-padded"}) {
      const auto p = parse_problem<PoolProblem>(std::string("N3 C70 H6 W5 R3 sh2 ph1 ") + kind);
      EXPECT_EQ(pool_faults(p, {.bc = bc}), "") << "bc " << bc << " " << kind;
    }
  }
}

// Layers of networks; windows that overlap, touch, and skip pixels; a window that is the image, or all of it but its
// end; a window wider than the image; the most taps that one byte can number, and more; for blocks of two pixels, the
// most windows that GatherAny keeps in its small array, and one more.
TEST(Pool, IsRightForLayersOfEachKind) {
  for (const char* layer :
       {"N1 C16 H112 R3 sh2 ph1", "N1 C512 H7 R7", "N5 C24 H28 R3 ph1", "N1 C16 H55 R3 sh2", "N3 C13 H9 W8 R2 sh2",
        "N1 C5 H9 R2 sh3", "N2 C7 H4 W3 R3 sh3", "N2 C7 H3 W4 R3 sh3", "N2 C3 H2 R5 ph2", "N1 C20 H1 W40 R1 S4 sw3 pw2",
        "N2 C36 H20 R16 sh2 ph3", "N2 C36 H19 R17 ph2", "C5 H4 W41 R2 S15 sh2 sw1", "C5 H4 W41 R2 S16 sh2 sw1"}) {
    for (const char* kind : {"max", "average", "average-padded"}) {
      const auto p = parse_problem<PoolProblem>(std::string(layer) + " " + kind);
      const std::int64_t bc = std::min<std::int64_t>(p.C, 64);
      EXPECT_EQ(pool_faults(p, {.bc = bc}), "") << layer << kind;
      EXPECT_EQ(pool_faults(p, {.bc = bc, .sweep = Sweep::stream}, {1, 2, 0, 1}), "") << layer << kind;
    }
  }
}

TEST(Pool, FindsTheWindowsOfAPixel) {
  for (std::int64_t image = 1; image <= 7; ++image)
    for (std::int64_t taps = 1; taps <= 5; ++taps)
      for (std::int64_t stride = 1; stride <= 4; ++stride)
        for (std::int64_t pad = 0; pad < taps; ++pad) {
          if (image + 2 * pad < taps) continue;
          const PoolAxis axis{image, (image + 2 * pad - taps) / stride + 1, taps, stride, pad};
          for (std::int64_t pixel = 0; pixel < image; ++pixel) {
            std::int64_t first = 0, count = 0;
            for (std::int64_t i = 0; i < axis.outputs; ++i) {
              if (pixel < i * stride - pad || pixel >= i * stride - pad + taps) continue;
              if (count++ == 0) first = i;
            }
            const PoolAxis::Range found = axis.windows_of(pixel);
            EXPECT_EQ(std::max<std::int64_t>(0, found.size()), count) << image << taps << stride << pad << pixel;
            EXPECT_EQ(count > 0 ? found.begin : first, first) << image << taps << stride << pad << pixel;
          }
        }
}

// Results do not show whether a window too many was read, as a window that a pixel is not in adds nothing to it. Here
// the tensors end at pages that must not be touched, and src and dst also begin at one.
TEST(Pool, TouchesOnlyItsTensors) {
  for (const char* layer : {"C64 H16 R3 sh2 ph1", "C64 H8 R2 sh2", "N2 C5 H7 W6 R3 sh2 ph1", "C70 H6 R3 ph1",
                            "C3 H9 R5 ph2", "C20 H7 R7", "C2 H20 R17 ph2"}) {
    for (const char* kind : {"max", "average", "average-padded"}) {
      const auto p = parse_problem<PoolProblem>(std::string(layer) + " " + kind);
      const Pool pool(p, {.bc = p.C});
      const ActivationLayout of_src{p.N, p.C, p.H, p.W, 0, p.C}, of_dst{p.N, p.C, p.P(), p.Q(), 0, p.C};
      GuardedBuffer<float> src(static_cast<std::size_t>(of_src.size())), dst(static_cast<std::size_t>(of_dst.size()));
      GuardedBuffer<std::byte> indices(pool.make_indices().size());
      pool.forward({src.data(), of_src}, {dst.data(), of_dst}, p.kind == PoolKind::max ? indices.data() : nullptr);
      pool.backward({dst.data(), of_dst}, indices.data(), {src.data(), of_src});
    }
  }
}

TEST(Pool, IsRightForRandomProblemsAndPlans) {
  EXPECT_TRUE(rc::check([] {
    const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
    PoolProblem p{
        .N = in(1, 5), .C = in(1, 40), .R = in(1, 5), .S = in(1, 5), .stride_h = in(1, 4), .stride_w = in(1, 4)};
    p.pad_h = in(0, p.R - 1);
    p.pad_w = in(0, p.S - 1);
    p.H = in(std::max<std::int64_t>(1, p.R - 2 * p.pad_h), 12);
    p.W = in(std::max<std::int64_t>(1, p.S - 2 * p.pad_w), 12);
    p.kind = *rc::gen::element(PoolKind::max, PoolKind::average, PoolKind::average_padded);
    p.validate();
    const PoolPlan plan{.bc = in(1, p.C), .sweep = *rc::gen::element(Sweep::cached, Sweep::stream, Sweep::stream_l2)};
    const std::string what = pool_faults(p, plan, {in(0, 2), in(0, 2), in(0, 2), in(0, 2)});
    if (!what.empty()) RC_FAIL(to_string(p) + " " + to_string(plan) + ": " + what);
  }));
}

TEST(Pool, IndicesAreTheLargestTaps) {
  const auto p = parse_problem<PoolProblem>("C1 H3 R3 sh2 ph1");
  PlainPool pool(p, {.bc = 1});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float src[] = {5, 5, 1, 5, 4, nan, 0, 9, nan};
  const PlainTensors dst = pool.forward(src);
  EXPECT_EQ(dst.at<float>("dst")[0], 5);
  EXPECT_TRUE(std::isnan(dst.at<float>("dst")[1]));
  EXPECT_EQ(dst.at<float>("dst")[2], 9);
  EXPECT_TRUE(std::isnan(dst.at<float>("dst")[3]));
  // The centres of these windows are the image's corners: pixel (0, 0) is tap 4 of the first window, and so on.
  const std::int64_t taps[] = {4, 7, 5, 4};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(pool.index(i), taps[i]) << i;
}

TEST(Pool, TheFirstOfEqualValuesIsTheLargestEvenIfInfinite) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (const float most : {2.0F, inf}) {
    PlainPool pool(parse_problem<PoolProblem>("C1 H3 R3"), {.bc = 1});
    const float src[] = {1, -inf, 0, most, 1, most, 1, most, 0};
    EXPECT_EQ(pool.forward(src).at<float>("dst")[0], most);
    EXPECT_EQ(pool.index(0), 3);
  }
}

TEST(Pool, NaNReachesOnlyTheWindowsThatHoldIt) {
  for (const char* kind : {"max", "average", "average-padded"}) {
    for (const std::int64_t nan : {3, 67}) {  // in the first and the last vector of a pixel's channels
      const auto p = parse_problem<PoolProblem>(std::string("C70 H8 R3 sh2 ph1 ") + kind);
      PlainTensors in = make_checkable_test_data<PoolForwardOp>(p, Fill::floats).inputs;
      in.at<float>("src")[nan * 64 + 3 * 8 + 4] = std::numeric_limits<float>::quiet_NaN();  // row 3, column 4
      const PlainTensors out = PlainPool(p, {.bc = 70}).forward(in.at<float>("src"));
      for (std::int64_t i = 0; i < 70 * 16; ++i) {
        const std::int64_t row = i % 16 / 4, column = i % 4;
        const bool sees = i / 16 == nan && (row == 1 || row == 2) && column == 2;
        EXPECT_EQ(std::isnan(out.at<float>("dst")[i]), sees) << kind << i;
      }
    }
  }
}

// A feature that pads the block must not turn the others into NaN, and the lowest values are not taken for padding.
TEST(Pool, LowestValuesAreNotTakenForPadding) {
  const auto p = parse_problem<PoolProblem>("C3 H2 R3 ph1");
  const std::vector<float> src(12, -std::numeric_limits<float>::infinity());
  const PlainTensors out = PlainPool(p, {.bc = 2}).forward(src.data());
  for (const float x : out.values<float>(0)) EXPECT_EQ(x, src[0]);
}

TEST(Pool, GivesTheSameBitsOnAnyNumberOfThreads) {
  const auto p = parse_problem<PoolProblem>("N3 C40 H30 R3 ph1 average");
  const TestData t = make_checkable_test_data<PoolBackwardOp>(p, Fill::floats);
  PlainPool pool(p, {.bc = 20});
  PlainTensors alone;
  on_one_thread([&] { alone = pool.backward(nullptr, t.inputs.at<float>("ddst")); });
  const PlainTensors out = pool.backward(nullptr, t.inputs.at<float>("ddst"));
  EXPECT_EQ(std::memcmp(out.at<float>("dsrc"), alone.at<float>("dsrc"), out.values<float>(0).size_bytes()), 0);
}

TEST(Pool, AWrongPassFails) {
  const auto p = parse_problem<PoolProblem>("N2 C6 H7 R3 ph1 average");
  const TestData t = make_checkable_test_data<PoolForwardOp>(p, Fill::floats);
  const auto fault = [&](const char* kind) {
    const auto other = parse_problem<PoolProblem>(std::string("N2 C6 H7 R3 ph1 ") + kind);
    return compare(PlainPool(other, {.bc = 6}).forward(t.inputs.at<float>("src")), t.expected, t.tolerance).reason;
  };
  EXPECT_EQ(fault("average"), "");
  EXPECT_NE(fault("average-padded"), "");
  EXPECT_NE(fault("max"), "");
}

TEST(Pool, RefusesPlansAndTensorsThatDoNotFit) {
  const auto p = parse_problem<PoolProblem>("C8 H4 R2 sh2");
  EXPECT_THAT([&] { Pool(p, {.bc = 9}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("bc must be from 1 to C = 8")));
  const Pool pool(p, {.bc = 4});
  BlockedImages src({1, 8, 4, 4, 0, 4}), dst({1, 8, 2, 2, 0, 4});
  auto indices = pool.make_indices();
  EXPECT_NO_THROW(pool.forward(src.input(), dst.output(), indices.data()));
  EXPECT_NO_THROW(pool.forward(src.input(), dst.output(), nullptr));
  EXPECT_NO_THROW(pool.backward(dst.input(), indices.data(), src.output()));
  EXPECT_THROW(pool.backward(dst.input(), nullptr, src.output()), std::logic_error);
  EXPECT_THROW(pool.forward(dst.input(), dst.output(), nullptr), std::logic_error);
  EXPECT_THROW(pool.forward(src.input(), src.output(), nullptr), std::logic_error);
}

TEST(PoolPlan, StreamsTensorsThatNoCacheHolds) {
  const auto p = parse_problem<PoolProblem>("N28 C64 H112 R3 sh2 ph1");
  const MachineModel machine{.threads = 2, .l3_bytes = 32 << 20};
  EXPECT_EQ(to_string(plan_pool(p, 64, machine)), "bc=64 stream");  // 90 + 22 MB
  EXPECT_EQ(to_string(plan_pool(parse_problem<PoolProblem>("N4 C64 H112 R3 sh2 ph1"), 64, machine)), "bc=64 cached");
  EXPECT_EQ(parse_problem<PoolPlan>("bc=16 stream"), (PoolPlan{16, Sweep::stream}));
}

}  // namespace
}  // namespace brickwork
