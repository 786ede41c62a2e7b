#include "kernels/layout/layout.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace brickwork {
namespace {

constexpr float kUntouched = std::numeric_limits<float>::quiet_NaN();

std::vector<float> counting(std::int64_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

// Sizes of C and W around the strip of 16 and around the blocks; bc = 3 and 4 belong to ResNet-50's first layer.
const std::vector<ActivationLayout> kActivations = {
    {.N = 1, .C = 1, .H = 1, .W = 1, .pad_w = 0, .bc = 1},
    {.N = 2, .C = 3, .H = 4, .W = 7, .pad_w = 3, .bc = 3},
    {.N = 2, .C = 3, .H = 4, .W = 16, .pad_w = 3, .bc = 4},
    {.N = 1, .C = 64, .H = 3, .W = 17, .pad_w = 1, .bc = 64},
    {.N = 3, .C = 33, .H = 2, .W = 33, .pad_w = 2, .bc = 16},
    {.N = 1, .C = 5, .H = 2, .W = 15, .pad_w = 0, .bc = 8},
    {.N = 2, .C = 5, .H = 3, .W = 4, .pad_w = 1, .bc = 4, .pad_h = 2},
};

using Slice = void (*)(const ActivationLayout&, std::int64_t, std::int64_t, const float*, float*);

void each_slice(const ActivationLayout& l, Slice slice, const std::vector<float>& from, std::vector<float>& to) {
  for (std::int64_t n = 0; n < l.N; ++n)
    for (std::int64_t cb = 0; cb < l.Cb(); ++cb) slice(l, n, cb, from.data(), to.data());
}

using PlainIndex = std::int64_t (*)(const ActivationLayout&, std::int64_t, std::int64_t, std::int64_t, std::int64_t);

std::int64_t nchw(const ActivationLayout& l, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return ((n * l.C + c) * l.H + h) * l.W + w;
}
std::int64_t nhwc(const ActivationLayout& l, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return ((n * l.H + h) * l.W + w) * l.C + c;
}

// The first wrong element of the blocked tensor, padding included; empty if there is none.
std::string wrong(const ActivationLayout& l, PlainIndex plain_index, const std::vector<float>& plain,
                  const std::vector<float>& blocked) {
  for (std::int64_t n = 0; n < l.N; ++n)
    for (std::int64_t c = 0; c < l.Cb() * l.bc; ++c)
      for (std::int64_t h = -l.pad_h; h < l.H + l.pad_h; ++h)
        for (std::int64_t w = -l.pad_w; w < l.W + l.pad_w; ++w) {
          const bool inside = c < l.C && h >= 0 && h < l.H && w >= 0 && w < l.W;
          if (!(blocked[l.index(n, c, h, w)] == (inside ? plain[plain_index(l, n, c, h, w)] : 0.0f)))
            return fmt::format("n {} c {} h {} w {} with bc {}", n, c, h, w, l.bc);
        }
  return {};
}

TEST(ActivationLayout, IndexIsTheFormula) {
  const ActivationLayout l{.N = 2, .C = 5, .H = 3, .W = 4, .pad_w = 1, .bc = 4};
  EXPECT_EQ(l.Cb(), 2);
  EXPECT_EQ(l.Wp(), 6);
  EXPECT_EQ(l.size(), 2 * 2 * 3 * 6 * 4);
  EXPECT_EQ(l.index(0, 0, 0, -1), 0);
  EXPECT_EQ(l.index(1, 4, 2, 3), (((1 * 2 + 1) * 3 + 2) * 6 + 4) * 4 + 0);
}

TEST(ActivationLayout, PacksNchwAndBack) {
  for (const ActivationLayout& l : kActivations) {
    const auto plain = counting(l.N * l.C * l.H * l.W);
    std::vector<float> blocked(l.size(), kUntouched), back(plain.size(), kUntouched);
    each_slice(l, pack_nchw_slice, plain, blocked);
    EXPECT_EQ(wrong(l, nchw, plain, blocked), "");
    each_slice(l, unpack_nchw_slice, blocked, back);
    EXPECT_EQ(back, plain);
  }
}

TEST(ActivationLayout, PacksNhwcAndBack) {
  for (const ActivationLayout& l : kActivations) {
    const auto plain = counting(l.N * l.C * l.H * l.W);
    std::vector<float> blocked(l.size(), kUntouched), back(plain.size(), kUntouched);
    each_slice(l, pack_nhwc_slice, plain, blocked);
    EXPECT_EQ(wrong(l, nhwc, plain, blocked), "");
    each_slice(l, unpack_nhwc_slice, blocked, back);
    EXPECT_EQ(back, plain);
  }
}

TEST(ActivationLayout, TheCheckSeesWrongPacking) {
  const ActivationLayout l{.N = 2, .C = 5, .H = 3, .W = 4, .pad_w = 1, .bc = 4};
  const auto plain = counting(l.N * l.C * l.H * l.W);
  std::vector<float> packed(l.size(), kUntouched);
  EXPECT_NE(wrong(l, nchw, plain, packed), "");
  each_slice(l, pack_nhwc_slice, plain, packed);
  EXPECT_NE(wrong(l, nchw, plain, packed), "");
  each_slice(l, pack_nchw_slice, plain, packed);
  ASSERT_EQ(wrong(l, nchw, plain, packed), "");
  for (float& x : packed) {
    const float right = x;
    x += 1;
    EXPECT_NE(wrong(l, nchw, plain, packed), "");
    x = right;
  }
}

// Threads pack slices side by side: a slice must not write into another.
TEST(ActivationLayout, PackingASliceWritesOnlyThatSlice) {
  const ActivationLayout l{.N = 2, .C = 10, .H = 3, .W = 5, .pad_w = 2, .bc = 4};
  const auto plain = counting(l.N * l.C * l.H * l.W);
  for (Slice pack : {pack_nchw_slice, pack_nhwc_slice})
    for (std::int64_t slice = 0; slice < l.N * l.Cb(); ++slice) {
      std::vector<float> blocked(l.size(), kUntouched);
      pack(l, slice / l.Cb(), slice % l.Cb(), plain.data(), blocked.data());
      for (std::int64_t i = 0; i < l.size(); ++i)
        EXPECT_EQ(std::isnan(blocked[i]), i / l.slice_size() != slice) << "slice " << slice << " element " << i;
    }
}

TEST(WeightLayout, IndexIsTheFormula) {
  const WeightLayout l{.K = 5, .C = 3, .R = 2, .S = 3, .bk = 4, .bc = 2};
  EXPECT_EQ(l.size(), 2 * 2 * 2 * 3 * 2 * 4);
  EXPECT_EQ(l.index(0, 0, 0, 0), 0);
  EXPECT_EQ(l.index(4, 2, 1, 2), ((((1 * 2 + 1) * 2 + 1) * 3 + 2) * 2 + 0) * 4 + 0);
}

TEST(WeightLayout, PacksKcrsAndBack) {
  const std::vector<WeightLayout> weights = {
      {.K = 1, .C = 1, .R = 1, .S = 1, .bk = 1, .bc = 1},     {.K = 64, .C = 3, .R = 7, .S = 7, .bk = 64, .bc = 3},
      {.K = 33, .C = 17, .R = 3, .S = 1, .bk = 16, .bc = 16}, {.K = 15, .C = 9, .R = 1, .S = 2, .bk = 32, .bc = 4},
      {.K = 48, .C = 64, .R = 3, .S = 3, .bk = 24, .bc = 32},
  };
  for (const WeightLayout& l : weights) {
    const auto plain = counting(l.K * l.C * l.R * l.S);
    std::vector<float> blocked(l.size(), kUntouched), back(plain.size(), kUntouched);
    for (std::int64_t kb = 0; kb < l.Kb(); ++kb)
      for (std::int64_t cb = 0; cb < l.Cb(); ++cb) {
        pack_kcrs_block(l, kb, cb, plain.data(), blocked.data());
        unpack_kcrs_block(l, kb, cb, blocked.data(), back.data());
      }
    for (std::int64_t k = 0; k < l.Kb() * l.bk; ++k)
      for (std::int64_t c = 0; c < l.Cb() * l.bc; ++c)
        for (std::int64_t r = 0; r < l.R; ++r)
          for (std::int64_t s = 0; s < l.S; ++s)
            ASSERT_EQ(blocked[l.index(k, c, r, s)],
                      k < l.K && c < l.C ? plain[((k * l.C + c) * l.R + r) * l.S + s] : 0.0f)
                << "k " << k << " c " << c << " r " << r << " s " << s;
    EXPECT_EQ(back, plain);
  }
}

}  // namespace
}  // namespace brickwork
