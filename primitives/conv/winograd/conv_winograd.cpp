#include "primitives/conv/winograd/conv_winograd.hpp"

#include <algorithm>

#include "kernels/layout/transpose.hpp"
#include "primitives/conv/conv_pack.hpp"
#include "primitives/nest/league.hpp"

namespace brickwork {

// The body of the two loops of winograd_groups.hpp.
struct ConvWinograd::Body {
  const WinogradGroups& groups;
  const BrgemmKernel& brick;
  const float *src, *weights, *bias, *residual, *at;
  float* dst;

  template <class Team>
  void operator()(const Team&, const LoopIndex& index) const {
    const WinogradTask task = groups.begin(index, src);
    for (std::int64_t place = 0; place < groups.places(); ++place) {
      const float *const A = task.of_src + place * groups.next_src(), *const B =
                                                                          weights + groups.weights_of(task.kb, place);
      brick({.batch = strided_batch(brick.shape(), A, B, groups.src.Cb()),
             .c = task.of_dst + place * groups.next_dst(),
             .rows = static_cast<int>(task.size())});
    }
    store(task);
  }

  void store(const WinogradTask& task) const {
    const Epilogue& epilogue = groups.view.epilogue;
    const std::int64_t bk = groups.plan.bk;
    groups.for_each_run(task, [&](const WinogradRun& run) {
      const WinogradDstTiles<float> tiles = groups.dst_tiles(dst, run, task.kb);
      groups.transforms.dst(task.of_dst + run.before * bk, groups.next_dst(), tiles);
      if (!epilogue.any()) return;
      for (float* const row : tiles.rows) {
        if (row == nullptr) continue;
        const auto beside = [&](const float* tensor) { return tensor + (row - dst); };
        apply_epilogue(row, static_cast<int>(std::min(tiles.columns, run.tiles * groups.plan.tile)),
                       static_cast<int>(bk), bk,
                       {.bias = epilogue.bias ? bias + task.kb * bk : nullptr,
                        .residual = epilogue.residual ? beside(residual) : nullptr,
                        .ldr = bk,
                        .activation = epilogue.activation,
                        .at = epilogue.derivative ? beside(at) : nullptr,
                        .ldat = bk});
      }
    });
  }
};

Result<ConvWinograd> ConvWinograd::make(const ConvView& given, const WinogradPlan& plan, Backend backend, Isa isa,
                                        const SimdTuning& tuning) {
  ConvView view = given;
  view.room_h = 0;
  const auto groups = WinogradGroups::make(view, plan, LoopKind::independent);
  if (!groups) return {groups.status(), groups.reason()};
  const BrgemmShape shape{.m = static_cast<int>(plan.tiles),
                          .n = static_cast<int>(plan.bk),
                          .k = static_cast<int>(plan.bc),
                          .lda = plan.bc,
                          .ldb = plan.bk,
                          .ldc = plan.bk,
                          .stride_a = plan.tiles * plan.bc,
                          .stride_b = plan.bc * plan.bk};
  auto brick = make_brgemm(shape, {.tuning = tuning}, backend, isa);
  if (!brick) return {brick.status(), brick.reason()};
  return ConvWinograd(*groups, *std::move(brick));
}

void ConvWinograd::transform(const float* taps, float* transformed, std::int64_t kb, std::int64_t cb) const {
  const std::int64_t elements = plan().bc * plan().bk;
  groups_.transforms.weights(taps, elements, transformed + groups_.weights_of(kb, 0) + cb * elements,
                             groups_.weights_of_place());
}

void ConvWinograd::transform_forward(const float* blocked, float* transformed) const {
  const WeightLayout from = forward_layout();
  for_each_slice(from.Kb(), from.Cb(),
                 [&](auto kb, auto cb) { transform(blocked + from.tap(kb, cb, 0, 0), transformed, kb, cb); });
}

// Input and output features swap their roles, and the taps are reversed.
void ConvWinograd::transform_backward(const float* blocked, float* transformed) const {
  const WeightLayout from = backward_layout();
  const std::int64_t elements = from.bc * from.bk, taps = from.R * from.S;
  parallel_league(Kokkos::DefaultHostExecutionSpace(), from.Cb() * from.Kb(), 1,
                  taps * elements * static_cast<std::int64_t>(sizeof(float)),
                  [&](const auto&, std::int64_t i, void* scratch) {
                    const std::int64_t kb = i / from.Kb(), cb = i % from.Kb();
                    float* const turned = static_cast<float*>(scratch);
                    for (std::int64_t tap = 0; tap < taps; ++tap) {
                      transpose(from.bc, from.bk, blocked + from.tap(cb, kb, 0, taps - 1 - tap), from.bk,
                                turned + tap * elements, from.bc);
                    }
                    transform(turned, transformed, kb, cb);
                  });
}

void ConvWinograd::run(const float* src, const float* transformed_weights, const float* bias, const float* residual,
                       const float* at, float* dst) const {
  groups_.nest.run(Kokkos::DefaultHostExecutionSpace(),
                   Body{groups_, *brick_, src, transformed_weights, bias, residual, at, dst},
                   {.scratch_bytes = groups_.scratch_bytes()});
}

}  // namespace brickwork
