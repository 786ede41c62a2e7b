#include "primitives/attention/attention.hpp"

#include <fmt/format.h>

namespace brickwork {
namespace {

RnnSteps steps_of(std::int64_t steps, const AttentionProblem& p, const AttentionPlan& plan) {
  return {.size = p.K, .block = plan.bk, .slots = steps, .N = p.N};
}

}  // namespace

Attention::Attention(const AttentionWork& work, const AttentionPlan& plan, BlockedAttention tiles)
    : problem_(work.problem),
      plan_(plan),
      tiles_(std::move(tiles)),
      decoder_(steps_of(problem_.T, problem_, plan)),
      encoder_(steps_of(problem_.S, problem_, plan)) {
  const auto floats = [](const RnnSteps& steps) {
    return AlignedBuffer<float>(static_cast<std::size_t>(steps.elements()));
  };
  queries_ = floats(decoder_);
  keys_ = floats(encoder_);
  values_ = floats(encoder_);
  context_ = floats(decoder_);
  if (work.use == RnnUse::inference) return;
  dcontext_ = floats(decoder_);
  dqueries_ = floats(decoder_);
  dkeys_ = floats(encoder_);
  dvalues_ = floats(encoder_);
}

Result<Attention> Attention::make(const AttentionWork& work, const AttentionPlan& plan, Backend backend, Isa isa,
                                  const SimdTuning& tuning) {
  const AttentionProblem& p = work.problem;
  if (const std::string what = misfit(p, plan); !what.empty()) {
    return Result<Attention>::misfit(fmt::format("plan '{}' does not fit {}: {}", to_string(plan), to_string(p), what));
  }
  auto tiles =
      BlockedAttention::make({.problem = p, .decoder = steps_of(p.T, p, plan), .encoder = steps_of(p.S, p, plan)}, plan,
                             work.use, backend, isa, tuning);
  if (!tiles) return {tiles.status(), tiles.reason()};
  return Attention(work, plan, *std::move(tiles));
}

void Attention::set_states(const float* queries, const float* keys, const float* values) {
  pack_steps(decoder_, 0, problem_.T, queries, queries_.data());
  pack_steps(encoder_, 0, problem_.S, keys, keys_.data());
  pack_steps(encoder_, 0, problem_.S, values, values_.data());
}

void Attention::set_lengths(const std::int32_t* lengths) {
  lengths_.clear();
  if (lengths == nullptr) return;
  const std::span<const std::int32_t> given(lengths, static_cast<std::size_t>(problem_.N));
  check_lengths(problem_, given);
  lengths_.assign(given.begin(), given.end());
}

void Attention::run() { tiles_.run(queries_.data(), keys_.data(), values_.data(), lengths(), context_.data()); }

void Attention::get_context(float* context) const { unpack_steps(decoder_, 0, problem_.T, context_.data(), context); }

void Attention::set_gradient(const float* dcontext) { pack_steps(decoder_, 0, problem_.T, dcontext, dcontext_.data()); }

void Attention::run_backward() {
  tiles_.run_backward(queries_.data(), keys_.data(), values_.data(), lengths(), dcontext_.data(),
                      {.queries = dqueries_.data(), .keys = dkeys_.data(), .values = dvalues_.data()});
}

void Attention::get_gradients(float* dqueries, float* dkeys, float* dvalues) const {
  unpack_steps(decoder_, 0, problem_.T, dqueries_.data(), dqueries);
  unpack_steps(encoder_, 0, problem_.S, dkeys_.data(), dkeys);
  unpack_steps(encoder_, 0, problem_.S, dvalues_.data(), dvalues);
}

}  // namespace brickwork
