#include "primitives/planning/caches/measured_caches.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"

namespace brickwork {
namespace {

constexpr int kRepetitions = 5;

double best_ns(const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRepetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// Keeps the compiler from leaving a computation out.
void use(const void* what) { asm volatile("" : : "g"(what) : "memory"); }

// A random cycle through all lines: each load waits for the one before, and no prefetcher can guess the next.
double latency_of(std::int64_t bytes) {
  constexpr std::int64_t kLine = 64, kLoads = 1 << 15;
  const auto lines = static_cast<std::size_t>(bytes / kLine);
  constexpr std::size_t kWords = kLine / sizeof(std::uint64_t);
  std::vector<std::uint64_t> order(lines);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::ranges::shuffle(order, std::mt19937_64(1));
  AlignedBuffer<std::uint64_t> next(lines * kWords);
  for (std::size_t i = 0; i < lines; ++i) next[order[i] * kWords] = order[(i + 1) % lines] * kWords;
  std::uint64_t at = 0;
  const double ns = best_ns([&] {
    for (std::int64_t i = 0; i < kLoads; ++i) at = next[at];
    use(&at);
  });
  return ns / kLoads;
}

double bandwidth_of(std::int64_t bytes) {
  constexpr std::int64_t kLeast = 4 << 20;  // bytes of a repetition
  const AlignedBuffer<float> data(static_cast<std::size_t>(bytes) / sizeof(float));
  const std::int64_t passes = std::max<std::int64_t>(1, kLeast / bytes);
  const double ns = best_ns([&] {
    constexpr std::size_t kSums = 64;
    float sums[kSums] = {};
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i + kSums <= data.size(); i += kSums) {
#pragma omp simd
        for (std::size_t s = 0; s < kSums; ++s) sums[s] += data[i + s];
      }
      use(sums);
    }
  });
  return static_cast<double>(passes * bytes) / ns;
}

// Nanoseconds of a call of the brick with these rows and this depth.
double brick_ns(int m, int k, Isa isa, const SimdTuning& tuning) {
  constexpr int n = 64, kCalls = 200;
  const BrgemmShape shape{.m = m, .n = n, .k = k, .lda = k, .ldb = n, .ldc = n};
  const auto brick = make_brgemm(shape, {.tuning = tuning}, Backend::simd, isa);
  if (!brick) return 0;
  const AlignedBuffer<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
  AlignedBuffer<float> c(static_cast<std::size_t>(m * n));
  return best_ns([&] {
           for (int i = 0; i < kCalls; ++i) (**brick)({.batch = strided_batch(shape, a.data(), b.data(), 1), .c = c.data()});
         }) /
         kCalls;
}

}  // namespace

CacheHierarchy measure_caches(const MachineModel& machine, Isa isa, const SimdTuning& tuning) {
  constexpr std::int64_t kMostMemory = 256 << 20;
  // Other programs use the same L3: with a busy neighbour, 5.6 MB came from memory in spite of an L3 of 32 MB.
  constexpr std::int64_t kShareOfL3 = 5'000'000;
  CacheHierarchy caches{.bytes = {machine.l1_bytes, machine.l2_bytes, std::min(machine.l3_bytes / machine.threads, kShareOfL3)}};
  const std::array<std::int64_t, kPlaces> sizes{machine.l1_bytes / 2, machine.l2_bytes / 2, machine.l3_bytes / 2,
                                                std::min(4 * machine.l3_bytes, kMostMemory)};
  for (std::size_t place = 0; place < kPlaces; ++place) {
    caches.latency[place] = latency_of(sizes[place]);
    caches.bandwidth[place] = bandwidth_of(sizes[place]);
  }
  // Two depths: what remains for a depth of 0 is the call.
  constexpr int m = 6, kShort = 32, kLong = 96;
  const double short_ns = brick_ns(m, kShort, isa, tuning), long_ns = brick_ns(m, kLong, isa, tuning);
  if (long_ns > short_ns) {
    caches.fmas = 64.0 * m * (kLong - kShort) / (long_ns - short_ns);
    caches.call = std::max(0.0, short_ns - 64.0 * m * kShort / caches.fmas);
  }
  return caches;
}

const CacheHierarchy& measured_caches(int threads, Isa isa, const SimdTuning& tuning) {
  static std::map<int, CacheHierarchy> known;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto found = known.find(threads);
  if (found != known.end()) return found->second;
  return known.emplace(threads, measure_caches(this_machine(threads, tuning), isa, tuning)).first->second;
}

}  // namespace brickwork
