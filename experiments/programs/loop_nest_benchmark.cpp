// Measures the cost of the loop nest compared with loops written by hand, around a brick of 28 x 64 with k = 64 and 1
// or 4 members; 4 members are the smallest call of a ResNet-50 layer. Run it interleaved:
// --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
#include <benchmark/benchmark.h>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/nest/league.hpp"
#include "primitives/nest/loop_nest.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kN = 4, kKb = 2, kOj = 8, kOi = 2;
constexpr BrgemmShape kTile{.m = 28, .n = 64, .k = 64, .lda = 64, .ldb = 64, .ldc = 64};

struct Tiles {
  std::int64_t members;
  AlignedBuffer<float> a{28 * 64}, b{64 * 64}, c{static_cast<std::size_t>(kN * kKb * kOj * kOi * 28 * 64)};
  BrgemmKernelPtr brick = *make_brgemm(kTile, {}, Backend::simd);

  void operator()(std::int64_t n, std::int64_t kb, std::int64_t oj, std::int64_t oi) {
    (*brick)({.batch = strided_batch(kTile, a.data(), b.data(), members),
              .c = &c[(((n * kKb + kb) * kOj + oj) * kOi + oi) * 28 * 64]});
  }
};

void by_hand(benchmark::State& state) {
  Tiles tiles{state.range(0)};
  for (auto _ : state) {
    for (std::int64_t n = 0; n < kN; ++n)
      for (std::int64_t kb = 0; kb < kKb; ++kb)
        for (std::int64_t oj = 0; oj < kOj; ++oj)
          for (std::int64_t oi = 0; oi < kOi; ++oi) tiles(n, kb, oj, oi);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(by_hand)->ArgName("members")->Arg(1)->Arg(4);

void run_nest(benchmark::State& state, const char* schedule) {
  Tiles tiles{state.range(0)};
  const auto nest = LoopNest::make({{"n", kN}, {"kb", kKb}, {"oj", kOj}, {"oi", kOi}}, parse_loop_schedule(schedule));
  const auto body = [&](const auto&, const LoopIndex& at) {
    tiles(at[0].begin, at[1].begin, at[2].begin, at[3].begin);
  };
  for (auto _ : state) {
    nest->run(Kokkos::DefaultHostExecutionSpace(), body);
    benchmark::ClobberMemory();
  }
}

void loop_nest(benchmark::State& state) { run_nest(state, "n kb oj oi"); }
BENCHMARK(loop_nest)->ArgName("members")->Arg(1)->Arg(4);

void loop_nest_in_blocks(benchmark::State& state) { run_nest(state, "n:2 oj:4 kb n oj oi"); }
BENCHMARK(loop_nest_in_blocks)->ArgName("members")->Arg(1)->Arg(4);

}  // namespace
}  // namespace brickwork

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
