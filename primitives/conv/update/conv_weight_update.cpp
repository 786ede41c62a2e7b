#include "primitives/conv/update/conv_weight_update.hpp"

#include "primitives/bricks/tile_brick.hpp"
#include "primitives/nest/league.hpp"

namespace brickwork {

Result<ConvWeightUpdate> ConvWeightUpdate::make(const ConvProblem& problem, const ConvUpdatePlan& plan, Backend backend,
                                                Isa isa, const SimdTuning& tuning, std::int64_t ddst_room_w) {
  auto blocking = ConvUpdateBlocking::make(problem, plan, DType::f32, ddst_room_w);
  if (!blocking) return {blocking.status(), blocking.reason()};
  ConvWeightUpdate update(*std::move(blocking));
  for (const int beta : {0, 1}) {
    auto brick = make_brgemm(update.blocking_.brick_shape(beta), {.tuning = tuning}, backend, isa);
    if (!brick) return {brick.status(), brick.reason()};
    update.bricks_[beta] = *std::move(brick);
    if (!update.blocking_.with_bias()) continue;
    auto bias_brick = make_brgemm(update.blocking_.bias_brick_shape(beta), {.tuning = tuning}, backend, isa);
    if (!bias_brick) return {bias_brick.status(), bias_brick.reason()};
    update.bias_bricks_[beta] = *std::move(bias_brick);
  }
  return update;
}

ConvWeightUpdate::ConvWeightUpdate(ConvUpdateBlocking blocking)
    : blocking_(std::move(blocking)),
      ones_(static_cast<std::size_t>(blocking_.ones_size()), 1.0F),
      copies_(static_cast<std::size_t>((blocking_.nest().copies() - 1) * dweights_layout().size())),
      bias_copies_(static_cast<std::size_t>((blocking_.nest().copies() - 1) * dbias_size())) {}

void ConvWeightUpdate::run(const float* src, const float* ddst, float* dweights, float* dbias, Gradients gradients) {
  const auto data = blocking_.data(src, ddst, dweights, copies_.data(), dbias, bias_copies_.data(), gradients,
                                   static_cast<const float*>(ones_.data()));
  blocking_.pass(data)(Kokkos::DefaultHostExecutionSpace(), KernelBrick{bricks_[0].get(), bricks_[1].get()},
                       KernelBrick{bias_bricks_[0].get(), bias_bricks_[1].get()}, 1);
}

}  // namespace brickwork
