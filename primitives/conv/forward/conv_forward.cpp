#include "primitives/conv/forward/conv_forward.hpp"

#include "primitives/nest/league.hpp"

namespace brickwork {

Result<ConvForward> ConvForward::make(const ConvProblem& problem, const ConvPlan& plan, Backend backend, Isa isa,
                                      const SimdTuning& tuning) {
  auto blocking = ConvForwardBlocking::make(problem, plan);
  if (!blocking) return {blocking.status(), blocking.reason()};
  return make(*blocking, backend, isa, tuning);
}

Result<ConvForward> ConvForward::make(const ConvForwardBlocking& blocking, Backend backend, Isa isa,
                                      const SimdTuning& tuning) {
  ConvForward conv(blocking);
  BrgemmHints hints = conv.blocking_.brick_hints();
  hints.tuning = tuning;
  for (const int beta : {0, 1}) {
    auto brick = make_brgemm(conv.blocking_.brick_shape(beta), hints, backend, isa);
    if (!brick) return {brick.status(), brick.reason()};
    conv.bricks_[beta] = *std::move(brick);
  }
  return conv;
}

void ConvForward::run(const float* src, const float* weights, const float* bias, const float* residual,
                      float* dst) const {
  blocking_.pass(blocking_.data(src, weights, bias, residual, dst))(Kokkos::DefaultHostExecutionSpace(), brick(), 1);
}

}  // namespace brickwork
