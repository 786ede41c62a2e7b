// One convolution forward under the rule's plan, tensors blocked beforehand:
//   conv_forward_benchmark [Google Benchmark's options] "N28 C64 K64 H56 R3 ph1" ...
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "aligned_buffer.hpp"
#include "conv/conv_forward.hpp"
#include "machine_model.hpp"

namespace brickwork {
namespace {

void conv_forward(benchmark::State& state, const ConvProblem& problem) {
  const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  const auto conv = ConvForward::make(problem, plan_conv_forward(problem, this_machine(threads)), Backend::simd);
  if (!conv) return state.SkipWithError(conv.reason().c_str());
  const auto tensor = [](std::int64_t size) {
    AlignedBuffer<float> values(static_cast<std::size_t>(size));
    std::ranges::fill(values, 1.0f);
    return values;
  };
  const auto src = tensor(conv->src_layout().size()), weights = tensor(conv->weights_layout().size());
  const auto residual = tensor(problem.epilogue.residual ? conv->dst_layout().size() : 0);
  const auto bias = tensor(conv->dst_layout().Cb() * conv->dst_layout().bc);
  auto dst = tensor(conv->dst_layout().size());
  for (auto _ : state) conv->run(src.data(), weights.data(), bias.data(), residual.data(), dst.data());
  state.SetLabel(to_string(conv->plan()));
  state.counters["flop/s"] =
      benchmark::Counter(problem.flops(), benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

}  // namespace
}  // namespace brickwork

int main(int argc, char** argv) {
  using namespace brickwork;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  benchmark::Initialize(&argc, argv);
  try {
    for (int i = 1; i < argc; ++i) {
      const auto problem = parse_problem<ConvProblem>(argv[i]);
      benchmark::RegisterBenchmark(to_string(problem).c_str(), conv_forward, problem)
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
    }
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "conv_forward_benchmark: %s\n", e.what());
    return 2;
  }
  if (argc < 2) std::fprintf(stderr, "conv_forward_benchmark: name a layer, such as \"N28 C64 K64 H56 R3 ph1\"\n");
  return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 2;
}
