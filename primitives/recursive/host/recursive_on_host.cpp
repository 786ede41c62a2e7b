#include "primitives/recursive/host/recursive_on_host.hpp"

#include "primitives/bricks/tile_brick.hpp"
#include "primitives/nest/one_region.hpp"
#include "primitives/recursive/host/tape_rows.hpp"

namespace brickwork {
namespace {

using Body = RecursiveBody<KernelBrick, TapeByVectors>;

// All phases in one parallel region; or one region for each phase, in which threads take turns with the parts, so that
// none finds its weights in its caches.
void run_on_host(const Body& body, bool persist) {
  if (persist) {
    in_one_region([&](std::int64_t thread, std::int64_t threads, const auto& meet) {
      body.run(OneThread(), thread, threads, meet, nullptr);
    });
    return;
  }
  for (std::int32_t phase = 0; phase < body.program.phase_count; ++phase) {
    in_one_region([&](std::int64_t thread, std::int64_t threads, const auto&) {
      body.run_phase(OneThread(), phase, thread, (thread + phase) % threads, threads, nullptr);
    });
  }
}

}  // namespace

std::int64_t RecursiveOnHost::shares() const { return Kokkos::DefaultHostExecutionSpace().concurrency(); }

Result<RecursivePasses> RecursiveOnHost::passes(const RecursiveShapes& shapes) const {
  RecursiveBricks<BrgemmKernelPtr> kernels;
  const std::pair<BrgemmKernelPtr*, const BrgemmShape*> all[] = {
      {&kernels.weights, &shapes.weights},
      {&kernels.few, &shapes.few},
      {&kernels.matrix, &shapes.matrix},
      {&kernels.last_matrix, &shapes.last_matrix},
      {&kernels.matrix_transposed, &shapes.matrix_transposed}};
  for (const auto& [kernel, shape] : all) {
    if (shape->m == 0) continue;
    auto made = make_brgemm(*shape, {.tuning = tuning_}, backend_, isa_);
    if (!made) return {made.status(), made.reason()};
    *kernel = *std::move(made);
  }
  const auto run_program = [kernels, few_rows = shapes.few.m](const RecursiveRun& run) {
    const auto brick = [](const BrgemmKernelPtr& kernel) { return KernelBrick{{kernel.get(), nullptr}}; };
    const RecursiveBricks<KernelBrick> bricks{brick(kernels.weights),
                                              brick(kernels.few),
                                              brick(kernels.matrix),
                                              brick(kernels.last_matrix),
                                              brick(kernels.matrix_transposed),
                                              few_rows};
    run_on_host(Body{run.g, run.program, run.levels, bricks, run.scratch_size, {}}, run.persist);
  };
  return RecursivePasses{std::string(kernels.weights->isa()), run_program};
}

}  // namespace brickwork
