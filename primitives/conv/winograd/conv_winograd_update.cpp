#include "primitives/conv/winograd/conv_winograd_update.hpp"

#include "primitives/conv/conv_pack.hpp"
#include "primitives/nest/league.hpp"

namespace brickwork {

// The body of the two loops of winograd_groups.hpp; groups add to one sum.
struct ConvWinogradUpdate::Body {
  const WinogradGroups& groups;
  const std::array<BrgemmKernelPtr, 2>& bricks;
  const float *src, *ddst;
  PrivateCopies<float> sums;

  template <class Team>
  void operator()(const Team&, const LoopIndex& index) const {
    const auto& [bc, bk, tile, tiles, loops] = groups.plan;
    const WinogradTask task = groups.begin(index, src);
    groups.for_each_run(task, [&, bk = bk](const WinogradRun& run) {
      groups.transforms.dst_gradient(groups.dst_tiles(ddst, run, task.kb), task.of_dst + run.before * bk,
                                     groups.next_dst());
    });
    const BrgemmKernel& brick = *bricks[index.first(WinogradLoop::g) ? 0 : 1];
    for (std::int64_t place = 0; place < groups.places(); ++place) {
      float *const B = task.of_dst + place * groups.next_dst(), *const C = sums.of(index.copy()) +
                                                                           groups.weights_of(task.kb, place);
      groups.fill_up(B, task, bk);
      for (std::int64_t cb = 0; cb < groups.src.Cb(); ++cb) {
        const float* const A = task.of_src + place * groups.next_src() + cb * tiles * bc;
        brick({.batch = strided_batch(brick.shape(), A, B, 1), .c = C + cb * bc * bk});
      }
    }
  }
};

ConvWinogradUpdate::ConvWinogradUpdate(const WinogradGroups& groups)
    : groups_(groups),
      sums_(static_cast<std::size_t>(groups.weights_size())),
      copies_(static_cast<std::size_t>(groups.nest.copies() - 1) * sums_.size()) {}

Result<ConvWinogradUpdate> ConvWinogradUpdate::make(const ConvProblem& problem, const WinogradPlan& plan,
                                                    Backend backend, Isa isa, const SimdTuning& tuning,
                                                    std::int64_t ddst_room_w) {
  ConvView view = forward_view(problem);
  view.room_h = 0, view.dst_room_w = ddst_room_w;
  if (view.epilogue.bias) {
    return Result<ConvWinogradUpdate>::unsupported("Winograd's weight update does not compute the gradient of a bias");
  }
  const auto groups = WinogradGroups::make(view, plan, LoopKind::reduction_in_copies);
  if (!groups) return {groups.status(), groups.reason()};
  ConvWinogradUpdate conv(*groups);
  for (const int beta : {0, 1}) {
    const BrgemmShape shape{.m = static_cast<int>(plan.bc),
                            .n = static_cast<int>(plan.bk),
                            .k = static_cast<int>(plan.tiles),
                            .lda = plan.bc,
                            .ldb = plan.bk,
                            .ldc = plan.bk,
                            .a_transposed = true,
                            .beta = beta};
    auto brick = make_brgemm(shape, {.tuning = tuning}, backend, isa);
    if (!brick) return {brick.status(), brick.reason()};
    conv.bricks_[static_cast<std::size_t>(beta)] = *std::move(brick);
  }
  return conv;
}

void ConvWinogradUpdate::run(const float* src, const float* ddst, float* dweights) {
  const PrivateCopies<float> copies{sums_.data(), copies_.data(), groups_.weights_size()};
  groups_.nest.run(Kokkos::DefaultHostExecutionSpace(), Body{groups_, bricks_, src, ddst, copies}, copies,
                   {.scratch_bytes = groups_.scratch_bytes()});
  const WeightLayout to = dweights_layout();
  const std::int64_t elements = to.bc * to.bk;
  for_each_slice(to.Kb(), to.Cb(), [&](auto kb, auto cb) {
    groups_.transforms.weight_gradient(sums_.data() + groups_.weights_of(kb, 0) + cb * elements,
                                       groups_.weights_of_place(), elements, dweights + to.tap(kb, cb, 0, 0));
  });
}

}  // namespace brickwork
