// Compiled once per instruction set by foreach_target; the run-time dispatch takes the best one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "memory_read.cpp"
#include <hwy/foreach_target.h>
// clang-format off: foreach_target must come before highway.h
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

const char* NameOfTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "memory_read.hpp"

namespace brickwork {

HWY_EXPORT(SumOf);
HWY_EXPORT(NameOfTarget);

MemoryRead::MemoryRead(int threads, std::int64_t bytes)
    : threads_(threads), array_(static_cast<std::size_t>(bytes) / sizeof(float)) {}

float MemoryRead::run() const {
  const auto shares = static_cast<std::size_t>(threads_);
  float sum = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(+ : sum)
  for (std::size_t share = 0; share < shares; ++share) {
    const std::size_t begin = array_.size() * share / shares, end = array_.size() * (share + 1) / shares;
    sum += HWY_DYNAMIC_DISPATCH(SumOf)(array_.data() + begin, end - begin);
  }
  return sum;
}

std::string MemoryRead::isa() const { return HWY_DYNAMIC_DISPATCH(NameOfTarget)(); }

}  // namespace brickwork
#endif  // HWY_ONCE
