#include "primitives/conv/testing/recorded_conv.hpp"

#include <algorithm>
#include <vector>

#include "primitives/conv/backward/conv_backward_blocking.hpp"
#include "primitives/conv/backward/conv_backward_body.hpp"
#include "primitives/conv/update/conv_update_blocking.hpp"
#include "primitives/testing/recorded_touches.hpp"

namespace brickwork {
namespace {

using CachePlace = TouchChecker::CachePlace;

std::vector<float> floats_of(std::int64_t size) { return std::vector<float>(static_cast<std::size_t>(size)); }

// [n][c][row][pixel of a row as stored].
CachePlace place_in_images(const std::vector<float>& memory, const ActivationLayout& l, std::int64_t pixels_of_row) {
  return [&memory, l, pixels_of_row](const std::int64_t* i, std::int64_t) {
    return &memory.at(static_cast<std::size_t>((i[0] * l.Cb() + i[1] / l.bc) * l.slice_size() +
                                               (i[2] * pixels_of_row + i[3]) * l.bc + i[1] % l.bc));
  };
}

// [k][c][r][s] of weights that begin at element `first`; each copy has `size` elements.
CachePlace place_in_weights(const std::vector<float>& memory, const WeightLayout& l, std::int64_t first = 0,
                       std::int64_t size = 0) {
  return [&memory, l, first, size](const std::int64_t* i, std::int64_t copy) {
    return &memory.at(static_cast<std::size_t>(first + copy * size + l.index(i[0], i[1], i[2], i[3])));
  };
}

CachePlace place_in_row(const std::vector<float>& memory, std::int64_t size = 0) {
  return [&memory, size](const std::int64_t* i, std::int64_t copy) {
    return &memory.at(static_cast<std::size_t>(copy * size + i[0]));
  };
}

// Whether tap r of output row p falls outside the image, so that a call leaves it out.
bool is_outside(const ConvView& v, std::int64_t p, std::int64_t r) {
  const std::int64_t h = p * v.stride_h + r - v.pad_h;
  return h < 0 || h >= v.H;
}

// The tensors of a forward pass, and what is declared of them.
struct ForwardTensors {
  ForwardTensors(const ActivationLayout& of_src, const ActivationLayout& of_dst, std::int64_t weights_size)
      : src(floats_of(of_src.size())),
        weights(floats_of(weights_size)),
        bias(floats_of(of_dst.Cb() * of_dst.bc)),
        residual(floats_of(of_dst.size())),
        at(residual),
        dst(residual) {}

  TouchChecker checker(const NestTouches& touches, const ConvView& v, const ConvForwardBlocking& b,
                       std::int64_t first_weight = 0) const {
    const bool flat = b.plan().flat();
    const auto as_dst = [&](const std::vector<float>& memory) {
      return place_in_images(memory, b.dst_layout(), flat ? v.P * v.Q : b.dst_layout().Wp());
    };
    std::map<std::string, CachePlace> places = {
        {"src", place_in_images(src, b.src_layout(), flat ? v.H * v.W : b.src_layout().Wp())},
        {"weights", place_in_weights(weights, b.weights_layout(), first_weight)},
        {"bias", place_in_row(bias)}};
    for (const TouchedTensor& tensor : touches.tensors) {  // also those of phases without taps
      for (const auto& [name, memory] : {std::pair("dst", &dst), {"residual", &residual}, {"at", &at}}) {
        if (tensor.name.starts_with(name)) places[tensor.name] = as_dst(*memory);
      }
    }
    return {touches, std::move(places), [v](const std::string& tensor, const std::int64_t* i, const CallAt& call) {
              return tensor == "weights" && is_outside(v, call.loops[kOj].begin, i[2]);
            }};
  }

  std::vector<float> src, weights, bias, residual, at, dst;
};

// Backward's body, which fills pixels without taps by itself. The elements of dst that it has written are found by
// their values, and so are the elements of the residual that it has read: each has its own number as a value.
struct RecordedBackwardBody {
  ConvBackwardBody<RecordingBrick> body;
  ForwardTensors& tensors;
  TouchChecker* checker;

  static constexpr float kUntouched = -1;

  template <class Team>
  void operator()(const Team& team, const LoopIndex& at) const {
    if (body.phases_without_taps == 0) return body(team, at);
    std::ranges::fill(tensors.dst, kUntouched);
    body(team, at);
    for (std::size_t i = 0; i < tensors.dst.size(); ++i) {
      if (tensors.dst[i] == kUntouched) continue;
      checker->touch(Access::write, &tensors.dst[i]);
      if (body.conv.data.residual != nullptr) {
        checker->touch(Access::read, &tensors.residual.at(static_cast<std::size_t>(tensors.dst[i])));
      }
      if (body.conv.data.at != nullptr) checker->touch(Access::read, &tensors.at[i]);
    }
  }
};

}  // namespace

std::string forward_difference(const ConvView& v, const ConvPlan& plan, const NestTouches& declared) {
  const auto b = ConvForwardBlocking::make(v, plan, "the problem");
  if (!b) return b.reason();
  ForwardTensors t(b->src_layout(), b->dst_layout(), b->weights_layout().size());
  TouchChecker checker = t.checker(declared, v, *b);
  const auto data =
      b->data(t.src.data(), t.weights.data(), t.bias.data(), t.residual.data(), t.dst.data(), t.at.data());
  const ConvForwardBody<RecordingBrick> body{b->geometry(), data, {b->brick_shape(0), &checker}};
  b->nest().run(InOrder(), CheckedBody<decltype(body)>{body, &checker});
  return checker.wrong();
}

std::string backward_difference(const ConvProblem& p, const ConvPlan& plan, const std::vector<NestTouches>& declared) {
  const auto b = ConvBackwardBlocking::make(p, plan);
  if (!b) return b.reason();
  if (declared.size() != b->phases().size()) return "the declaration has another number of phases";
  ForwardTensors t(b->ddst_layout(), b->dsrc_layout(), b->weights_size());
  for (std::size_t i = 0; i < t.residual.size(); ++i) t.residual[i] = static_cast<float>(i);
  std::ranges::fill(t.at, 1.0F);
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const ConvBackwardBlocking::Phase& phase = b->phases()[i];
    TouchChecker checker = t.checker(declared[i], phase.part.view, phase.conv, phase.first_weight);
    const auto data = phase.conv.data(t.src.data(), t.weights.data() + phase.first_weight, nullptr, t.residual.data(),
                                      t.dst.data(), t.at.data());
    const RecordedBackwardBody body{{{phase.conv.geometry(), data, {phase.conv.brick_shape(0), &checker}},
                                     b->without_taps().data(),
                                     i == 0 ? static_cast<int>(b->without_taps().size()) : 0,
                                     plan.dst},
                                    t,
                                    &checker};
    phase.conv.nest().run(InOrder(), CheckedBody<decltype(body)>{body, &checker});
    if (!checker.wrong().empty()) return checker.wrong();
  }
  return {};
}

std::string update_difference(const ConvProblem& p, const ConvUpdatePlan& plan, const NestTouches& declared,
                              std::int64_t ddst_room_w) {
  const auto b = ConvUpdateBlocking::make(p, plan, DType::f32, ddst_room_w);
  if (!b) return b.reason();
  const ConvView v = forward_view(p);
  const std::int64_t copies = b->nest().copies(), dweights_size = b->dweights_layout().size();
  const std::int64_t pixels = b->brick_shape(0).k;
  std::vector<float> src = floats_of(b->src_layout().size()), ddst = floats_of(b->ddst_layout().size()),
                     dweights = floats_of(copies * dweights_size), dbias = floats_of(copies * b->dbias_size()),
                     ones = floats_of(b->ones_size());
  const auto pixels_of_row = [&](const ActivationLayout& l) { return plan.flat() ? pixels : l.Wp(); };
  TouchChecker checker(declared,
                       {{"src", place_in_images(src, b->src_layout(), pixels_of_row(b->src_layout()))},
                        {"ddst", place_in_images(ddst, b->ddst_layout(), pixels_of_row(b->ddst_layout()))},
                        {"dweights", place_in_weights(dweights, b->dweights_layout(), 0, dweights_size)},
                        {"dbias", place_in_row(dbias, b->dbias_size())},
                        {"ones", place_in_row(ones)}},
                       [&](const std::string& tensor, const std::int64_t* i, const CallAt& call) {
                         using L = ConvUpdateLoop;
                         const std::int64_t r = call.loops[L::r].begin;
                         if (tensor != "ddst" || plan.flat() || !is_outside(v, i[2], r)) return false;
                         const bool for_dbias =
                             b->with_bias() && r == 0 && call.loops[L::cb].begin == 0 && call.loops[L::s].begin == 0;
                         return !for_dbias;
                       });
  const auto data = b->data(src.data(), ddst.data(), dweights.data(), dweights.data() + dweights_size, dbias.data(),
                            dbias.data() + b->dbias_size(), Gradients::overwrite, ones.data());
  const ConvUpdateBody<RecordingBrick> body{
      b->geometry(), data, {b->brick_shape(0), &checker}, {b->bias_brick_shape(0), &checker}};
  b->nest().run(InOrder(), CheckedBody<decltype(body)>{body, &checker}, data.dweights);
  return checker.wrong();
}

}  // namespace brickwork
