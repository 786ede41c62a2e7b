// What the brick costs with and without an epilogue, on blocks that L1 and L2 hold. To compare two of its rows, pin the
// process to a core and let the library interleave them:
//   taskset -c 1 brgemm_benchmark --benchmark_enable_random_interleaving=true --benchmark_repetitions=20
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "aligned_buffer.hpp"
#include "brgemm.hpp"

namespace brickwork {
namespace {

struct Block {
  int m, n, k;
  std::int64_t batch;
};

enum class Steps { none, bias_relu, all };

void run(benchmark::State& state, Block block, Isa isa, Steps steps) {
  const auto [m, n, k, batch] = block;
  const BrgemmShape shape{
      .m = m, .n = n, .k = k, .lda = k, .ldb = n, .ldc = n, .stride_a = std::int64_t{m} * k, .stride_b = k * n};
  const auto kernel = make_brgemm(shape, {}, Backend::simd, isa);
  if (!kernel) return state.SkipWithError(kernel.reason().c_str());
  const AlignedBuffer<float> a(static_cast<std::size_t>(m * k * batch)), b(static_cast<std::size_t>(k * n * batch)),
      bias(static_cast<std::size_t>(n)), residual(static_cast<std::size_t>(m * n));
  AlignedBuffer<float> c(static_cast<std::size_t>(m * n));
  BrgemmCall call{.batch = strided_batch(shape, a.data(), b.data(), batch), .c = c.data()};
  if (steps != Steps::none) call.epilogue = {.bias = bias.data(), .activation = Activation::relu};
  if (steps == Steps::all) call.epilogue.residual = residual.data(), call.epilogue.ldr = n;
  for (auto _ : state) {
    (**kernel)(call);
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] =
      benchmark::Counter(2.0 * m * n * k * static_cast<double>(batch), benchmark::Counter::kIsIterationInvariantRate);
}

void register_benchmarks() {
  for (Isa isa : brgemm_backend(Backend::simd).isas)
    for (const Block& block :
         {Block{6, 16, 64, 4}, {8, 32, 64, 4}, {14, 32, 64, 4}, {7, 64, 64, 4}, {28, 64, 64, 4}, {28, 64, 64, 9}})
      for (const auto& [steps, name] :
           {std::pair{Steps::none, "none"}, {Steps::bias_relu, "bias+relu"}, {Steps::all, "bias+residual+relu"}}) {
        const std::string row =
            fmt::format("{}/m{}_n{}_k{}_batch{}/{}", to_string(isa), block.m, block.n, block.k, block.batch, name);
        benchmark::RegisterBenchmark(row.c_str(), run, block, isa, steps);
      }
}

}  // namespace
}  // namespace brickwork

int main(int argc, char** argv) {
  brickwork::register_benchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
