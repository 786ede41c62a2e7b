#include "primitives/planning/speeds/measured_speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/planning/machine/machine.hpp"
#include "primitives/planning/tuning/kept_file.hpp"
#include "primitives/planning/tuning/tuning_cache.hpp"

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

// Nanoseconds of a call of the brick with these rows and this depth; 0 if there is no simd brick.
double brick_ns(int m, int k) {
  constexpr int n = 64, kCalls = 200;
  const BrgemmShape shape{.m = m, .n = n, .k = k, .lda = k, .ldb = n, .ldc = n};
  const auto brick = make_brgemm(shape, {}, Backend::simd);
  if (!brick) return 0;
  const AlignedBuffer<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
  AlignedBuffer<float> c(static_cast<std::size_t>(m * n));
  const BrgemmCall call{.batch = strided_batch(shape, a.data(), b.data(), 1), .c = c.data()};
  return best_ns([&] {
           for (int i = 0; i < kCalls; ++i) (**brick)(call);
         }) /
         kCalls;
}

double two_digits(double x) { return std::stod(fmt::format("{:.2g}", x)); }

constexpr int kVersion = 1;  // of the measurement

nlohmann::ordered_json owner_of_speeds() {
  return {{"cpu", machine().cpu}, {"cpu_id", machine().cpu_id}, {"version", kVersion}};
}

nlohmann::ordered_json text_of(const CoreSpeeds& speeds) {
  return {{"for", owner_of_speeds()},
          {"multiply_adds", speeds.multiply_adds},
          {"call", speeds.call},
          {"latency", speeds.latency},
          {"bandwidth", speeds.bandwidth}};
}

// nullopt if the file has no speeds of this processor and version.
std::optional<CoreSpeeds> kept_speeds(const std::filesystem::path& file) {
  try {
    std::ifstream in(file);
    const auto kept = nlohmann::ordered_json::parse(in);
    if (kept.at("for") != owner_of_speeds()) return std::nullopt;
    CoreSpeeds speeds{kept.at("multiply_adds"), kept.at("call"), kept.at("latency"), kept.at("bandwidth")};
    const auto positive = [](double x) { return x > 0; };
    const bool usable = speeds.multiply_adds > 0 && speeds.call >= 0 && std::ranges::all_of(speeds.latency, positive) &&
                        std::ranges::all_of(speeds.bandwidth, positive);
    return usable ? std::optional(speeds) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

CoreSpeeds rounded(CoreSpeeds speeds) {
  speeds.multiply_adds = two_digits(speeds.multiply_adds), speeds.call = two_digits(speeds.call);
  for (double& x : speeds.latency) x = two_digits(x);
  for (double& x : speeds.bandwidth) x = two_digits(x);
  return speeds;
}

}  // namespace

CoreSpeeds measure_speeds(const CacheSizes& caches) {
  constexpr std::int64_t kMostMemory = 256 << 20;
  const std::array<std::int64_t, kPlaces> sizes{caches.l1 / 2, caches.l2 / 2, caches.l3 / 2,
                                                std::min(4 * caches.l3, kMostMemory)};
  CoreSpeeds speeds;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    speeds.latency[place] = latency_of(sizes[place]);
    speeds.bandwidth[place] = bandwidth_of(sizes[place]);
  }
  // Two depths: what remains for a depth of 0 is the call.
  constexpr int m = 6, kShort = 32, kLong = 96;
  const double short_ns = brick_ns(m, kShort), long_ns = brick_ns(m, kLong);
  if (long_ns > short_ns) {
    speeds.multiply_adds = 64.0 * m * (kLong - kShort) / (long_ns - short_ns);
    speeds.call = std::max(0.0, short_ns - 64.0 * m * kShort / speeds.multiply_adds);
  }
  return speeds;
}

CoreSpeeds find_speeds(const CacheSizes& caches, const std::optional<std::filesystem::path>& folder,
                       const std::function<CoreSpeeds(const CacheSizes&)>& measure) {
  if (!folder) return rounded(measure(caches));
  const std::filesystem::path file = *folder / "speeds.json";
  if (const auto kept = kept_speeds(file)) return *kept;
  const CoreSpeeds speeds = rounded(measure(caches));
  replace_file(file, text_of(speeds).dump(2) + '\n');
  return speeds;
}

const CoreSpeeds& speeds_of_this_machine() {
  const auto or_else = [](std::int64_t found, std::int64_t usual) { return found > 0 ? found : usual; };
  static const CoreSpeeds speeds = find_speeds({or_else(machine().l1d_bytes, 32 << 10), or_else(machine().l2_bytes, 1 << 20),
                                                or_else(machine().l3_bytes, 16 << 20)},
                                               tuning_folder());
  return speeds;
}

}  // namespace brickwork
