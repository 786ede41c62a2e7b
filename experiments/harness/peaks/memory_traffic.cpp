// Compiled once per instruction set by foreach_target; the run-time dispatch takes the best one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "experiments/harness/peaks/memory_traffic.cpp"
#include <hwy/foreach_target.h>
// clang-format off: foreach_target must come before highway.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Eight sums, so that no addition waits for another.
float SumOf(const float* from, std::size_t size) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  std::size_t i = 0;
  const auto add = [&](auto& sum, std::size_t vector)
                       HWY_ATTR { sum = hn::Add(sum, hn::LoadU(d, from + i + vector * lanes)); };
  for (; i + 8 * lanes <= size; i += 8 * lanes) {
    add(s0, 0);
    add(s1, 1);
    add(s2, 2);
    add(s3, 3);
    add(s4, 4);
    add(s5, 5);
    add(s6, 6);
    add(s7, 7);
  }
  const auto left = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), right = hn::Add(hn::Add(s4, s5), hn::Add(s6, s7));
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(left, right)));
  for (; i < size; ++i) sum += from[i];
  return sum;
}

// Returns the sum of the elements read. `to` is aligned to cache lines. Reads alternate between the first and second
// half; lines read and lines written follow each other as evenly as possible. With three of four lines written, two
// cores of a Zen 5 move 52 GB/s this way, but 39 GB/s if 48 written lines follow 16 read ones. The written values must
// not be zeros: past the caches, that processor writes zeros at 190 GB/s and other values at 88 GB/s.
float Move(const float* from, std::size_t reads, float* to, std::size_t writes, bool past_caches) {
  constexpr std::size_t kLine = 16;  // floats
  if (writes == 0) return SumOf(from, reads);
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d), half = reads / 2 / kLine * kLine;
  const std::size_t lines_read = half / kLine * 2, lines_written = writes / kLine, lines = lines_read + lines_written;
  auto first = hn::Zero(d), second = first;
  const auto value = hn::Set(d, 1.5F);
  const float* next = from;
  float* next_written = to;
  bool in_second = false;
  for (std::size_t line = 0, owed = 0; line < lines; ++line) {
    owed += lines_written;
    if (owed >= lines) {
      owed -= lines;
      for (std::size_t i = 0; i < kLine; i += lanes) {
        past_caches ? hn::Stream(value, d, next_written + i) : hn::Store(value, d, next_written + i);
      }
      next_written += kLine;
    } else if (in_second) {
      for (std::size_t i = 0; i < kLine; i += lanes) second = hn::Add(second, hn::LoadU(d, next + half + i));
      next += kLine;
      in_second = false;
    } else {
      for (std::size_t i = 0; i < kLine; i += lanes) first = hn::Add(first, hn::LoadU(d, next + i));
      in_second = true;
    }
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(first, second)));
  for (std::size_t i = 2 * half; i < reads; ++i) sum += from[i];
  for (std::size_t i = lines_written * kLine; i < writes; ++i) to[i] = sum;
  if (past_caches) hwy::FlushStream();
  return sum;
}

const char* NameOfTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "experiments/harness/peaks/memory_traffic.hpp"
#include "experiments/harness/run/fastest.hpp"

namespace brickwork {

HWY_EXPORT(Move);
HWY_EXPORT(NameOfTarget);

MemoryTraffic::MemoryTraffic(int threads, std::int64_t bytes_read, std::int64_t bytes_written, const Rereads& again)
    : threads_(threads),
      again_(again),
      read_(static_cast<std::size_t>(bytes_read) / sizeof(float)),
      written_(static_cast<std::size_t>(bytes_written) / sizeof(float)) {
  if (written_.size() > 0) past_caches_ = fastest(2, [&](std::size_t way) { run(way == 1); }) == 1;
}

float MemoryTraffic::run(bool past_caches) {
  constexpr std::size_t kLine = 16;  // floats
  const auto shares = static_cast<std::size_t>(threads_);
  const auto begin = [shares](std::size_t size, std::size_t share) {
    return share == shares ? size : size * share / shares / kLine * kLine;
  };
  float sum = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(+ : sum)
  for (std::size_t share = 0; share < shares; ++share) {
    const std::size_t r = begin(read_.size(), share), w = begin(written_.size(), share);
    sum += HWY_DYNAMIC_DISPATCH(Move)(read_.data() + r, begin(read_.size(), share + 1) - r, written_.data() + w,
                                      begin(written_.size(), share + 1) - w, past_caches);
    const auto part = static_cast<std::size_t>(again_.bytes) / sizeof(float);
    const std::size_t first = begin(part, share), size = begin(part, share + 1) - first;
    for (std::int64_t i = 0; i < again_.times; ++i) {
      sum += HWY_DYNAMIC_DISPATCH(Move)(read_.data() + first, size, nullptr, 0, false);
    }
  }
  return sum;
}

std::string MemoryTraffic::isa() const { return HWY_DYNAMIC_DISPATCH(NameOfTarget)(); }

}  // namespace brickwork
#endif  // HWY_ONCE
