#include "primitives/gnmt/gnmt.hpp"

#include <algorithm>
#include <span>

#include "primitives/add/add.hpp"
#include "primitives/elementwise/elementwise_blocks.hpp"
#include "primitives/rnn/host/rnn_on_host.hpp"

namespace brickwork {
namespace {

// Slot 0 of a layer's states is the state before the first step; the next layer reads from slot 1 on.
constexpr std::int64_t kFirst = 1;

}  // namespace

GnmtStack::GnmtStack(const GnmtProblem& p, BlockedAttention attention)
    : problem_(p), attention_(std::move(attention)) {}

Result<GnmtStack> GnmtStack::make(const GnmtProblem& p, const MachineModel& machine, Backend backend, Isa isa,
                                  const SimdTuning& tuning) {
  const RnnUse use = p.part == GnmtPart::step ? RnnUse::training : RnnUse::inference;
  const std::vector<GnmtLayer> layers = gnmt_layers(p);
  const RnnPlan of_all = plan_rnn(layers[kGnmtLayers].rnn, machine);  // without `steps`, which depends on T or S
  const auto states = [&](std::int64_t steps) {
    return RnnSteps{.size = p.K, .block = of_all.bh, .slots = steps + 2, .N = p.N};
  };
  auto attention = BlockedAttention::make({.problem = p.attention(),
                                           .decoder = states(p.T),
                                           .encoder = states(p.S),
                                           .first_decoder = kFirst,
                                           .first_encoder = kFirst},
                                          plan_attention(p.attention(), machine, of_all.bh), use, backend, isa, tuning);
  if (!attention) return {attention.status(), attention.reason()};
  GnmtStack stack(p, *std::move(attention));
  const RnnOnHost host(backend, isa, tuning);
  for (Side* const side : {&stack.encoder_, &stack.decoder_}) {
    const bool encoder = side == &stack.encoder_;
    const auto of_side = std::span(layers).subspan(encoder ? 0 : kGnmtLayers, kGnmtLayers);
    const std::int64_t steps = of_side.front().rnn.T;
    side->words = {.size = p.K, .block = of_all.bc, .slots = steps, .N = p.N};
    side->states = states(steps);
    for (std::size_t i = 0; i <= kGnmtLayers; ++i) {
      RnnSteps x = i == 0 ? side->words : side->states;  // what layer i reads, or the last one's output
      if (i > 0 && i < kGnmtLayers) x.parts = of_side[i].rnn.C / p.K;
      side->x[i] = AlignedBuffer<float>(static_cast<std::size_t>(x.elements()));
      if (use == RnnUse::training) side->dx[i] = AlignedBuffer<float>(side->x[i].size());
      if (i == kGnmtLayers) break;
      Layer& layer = side->layers[i];
      layer.what = of_side[i];
      const RnnProblem& rnn = layer.what.rnn;
      RnnSteps y = side->states;
      y.parts = rnn.D();
      if (layer.what.residual) side->y[i] = AlignedBuffer<float>(static_cast<std::size_t>(y.elements()));
      RnnPlan plan = of_all;
      plan.steps = plan_rnn(rnn, machine).steps;
      for (std::int64_t d = 0; d < rnn.D(); ++d) {
        auto directed = RnnDirectedLayer::make({.cell = rnn.cell,
                                                .reversed = rnn.reversed(d),
                                                .T = rnn.T,
                                                .x = x,
                                                .y = y,
                                                .first = i == 0 ? 0 : kFirst,
                                                .part = d},
                                               plan, use, host);
        if (!directed) return {directed.status(), directed.reason()};
        layer.directed.push_back(*std::move(directed));
      }
    }
  }
  const double bytes = 3.0 * static_cast<double>(stack.encoder_.states.elements()) * sizeof(float);
  stack.additions_ = plan_elementwise(bytes, machine);
  return stack;
}

void GnmtStack::set_words(const float* source, const float* target) {
  pack_steps(encoder_.words, 0, problem_.S, source, encoder_.x.front().data());
  pack_steps(decoder_.words, 0, problem_.T, target, decoder_.x.front().data());
  clear_beyond_ends();
}

void GnmtStack::set_lengths(const std::int32_t* lengths) {
  lengths_.clear();
  if (lengths == nullptr) return;
  const std::span<const std::int32_t> given(lengths, static_cast<std::size_t>(problem_.N));
  check_lengths(problem_.attention(), given);
  lengths_.assign(given.begin(), given.end());
  clear_beyond_ends();
}

// Values after a sentence's end would meet gradients of 0 in the weight update, and 0 * NaN is NaN.
void GnmtStack::clear_beyond_ends() {
  for (std::int64_t n = 0; n < static_cast<std::int64_t>(lengths_.size()); ++n)
    for (std::int64_t s = lengths_[static_cast<std::size_t>(n)]; s < problem_.S; ++s)
      for (std::int64_t k = 0; k < problem_.K; ++k) encoder_.x.front().data()[encoder_.words.at(0, k, s, n)] = 0;
}

void GnmtStack::set_weights(std::size_t i, const float* weights_layer, const float* weights_iter, const float* bias) {
  for (RnnDirectedLayer& directed : layer(i).directed) directed.set_weights(weights_layer, weights_iter, bias);
}

void GnmtStack::add(const float* a, const float* b, float* sum, const RnnSteps& states) const {
  brickwork::add(a, b, sum, states.elements(), false, additions_);
}

void GnmtStack::run_layer(Side& side, std::size_t i, const std::int32_t* lengths) {
  float* const y = side.y_of(i);
  for (RnnDirectedLayer& directed : side.layers[i].directed) directed.run(side.x[i].data(), y, lengths);
  if (side.layers[i].what.residual) add(y, side.x[i].data(), side.x[i + 1].data(), side.states);
}

void GnmtStack::run() {
  for (std::size_t i = 0; i < kGnmtLayers; ++i) run_layer(encoder_, i, lengths());
  run_layer(decoder_, 0, nullptr);
  const float* const encoded = encoder_.x.back().data();
  float* const context = context_in(decoder_.x[1]);
  attention_.run(decoder_.x[1].data(), encoded, encoded, lengths(), context);
  for (std::size_t i = 1; i < kGnmtLayers; ++i) {
    if (i > 1) {
      for_each_block(decoder_.states.elements(), [&](std::int64_t at, std::size_t count) {
        std::copy_n(context + at, count, context_in(decoder_.x[i]) + at);
      });
    }
    run_layer(decoder_, i, nullptr);
  }
}

// From the gradient of the layer's output, or of its sum, to that of its input, and the weights' gradients.
void GnmtStack::run_layer_backward(Side& side, std::size_t i, const std::int32_t* lengths) {
  Layer& layer = side.layers[i];
  float* const y = side.y_of(i);
  const float* const dy = side.dx[i + 1].data();
  for (std::size_t d = 0; d < layer.directed.size(); ++d) {
    layer.directed[d].run_backward_data(y, dy, lengths);
    layer.directed[d].run_gradient_of_x(side.dx[i].data(), d > 0);
    layer.directed[d].run_weight_update(side.x[i].data(), y);
  }
  if (layer.what.residual) add(side.dx[i].data(), dy, side.dx[i].data(), side.states);
}

void GnmtStack::run_backward() {
  float* const dcontext = context_in(decoder_.dx[1]);
  for (std::size_t i = kGnmtLayers; --i > 0;) run_layer_backward(decoder_, i, nullptr);
  for (std::size_t i = 2; i < kGnmtLayers; ++i) {
    add(dcontext, context_in(decoder_.dx[i]), dcontext, decoder_.states);
  }
  const float* const encoded = encoder_.x.back().data();
  float* const dencoded = encoder_.dx.back().data();
  attention_.run_backward(
      decoder_.x[1].data(), encoded, encoded, lengths(), dcontext,
      {.queries = decoder_.dx[1].data(), .add_to_queries = true, .keys = dencoded, .values = dencoded});
  run_layer_backward(decoder_, 0, nullptr);
  for (std::size_t i = kGnmtLayers; i-- > 0;) run_layer_backward(encoder_, i, lengths());
}

void GnmtStack::get_y(float* y) const {
  unpack_steps(decoder_.states, kFirst, problem_.T, decoder_.x.back().data(), y);
}

void GnmtStack::set_gradient(const float* dy) {
  pack_steps(decoder_.states, kFirst, problem_.T, dy, decoder_.dx.back().data());
}

void GnmtStack::get_word_gradients(float* dsource, float* dtarget) const {
  unpack_steps(encoder_.words, 0, problem_.S, encoder_.dx.front().data(), dsource);
  unpack_steps(decoder_.words, 0, problem_.T, decoder_.dx.front().data(), dtarget);
}

void GnmtStack::get_weight_gradients(std::size_t i, float* weights_layer, float* weights_iter, float* bias) const {
  for (const RnnDirectedLayer& directed : layer(i).directed)
    directed.get_weight_gradients(weights_layer, weights_iter, bias);
}

}  // namespace brickwork
