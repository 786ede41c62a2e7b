#include "primitives/gnmt/op/gnmt_op.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "primitives/attention/op/attention_ops.hpp"
#include "primitives/op/defined.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork {
namespace {

using Doubles = std::vector<double>;

// Rows of 2K features: a row of a, then a row of b.
Doubles beside(const Doubles& a, const Doubles& b, std::int64_t K) {
  Doubles both;
  both.reserve(a.size() + b.size());
  for (auto row = a.begin(), other = b.begin(); row != a.end(); row += K, other += K) {
    both.insert(both.end(), row, row + K);
    both.insert(both.end(), other, other + K);
  }
  return both;
}

// The first (0) or second (1) half of each row.
Doubles half_of(const Doubles& both, std::int64_t K, int half) {
  Doubles rows;
  rows.reserve(both.size() / 2);
  for (auto row = both.begin(); row != both.end(); row += 2 * K) {
    rows.insert(rows.end(), row + half * K, row + (half + 1) * K);
  }
  return rows;
}

Doubles sum_of(Doubles a, const Doubles& b) {
  std::ranges::transform(a, b, a.begin(), std::plus<>());
  return a;
}

Doubles copied(const PlainTensors& tensors, const std::string& name) {
  const auto values = tensors.values<double>(name);
  return {values.begin(), values.end()};
}

class GnmtDefinition {
 public:
  GnmtDefinition(const GnmtProblem& p, const PlainTensors& in)
      : p_(p), in_(in), layers_(gnmt_layers(p)), x_(layers_.size()) {}

  Doubles forward() {
    encoded_ = copied(in_, "source");
    for (std::size_t i = 0; i < kGnmtLayers; ++i) encoded_ = layer(i, encoded_, encoded_);
    queries_ = layer(kGnmtLayers, copied(in_, "target"), {});
    context_ = attention<AttentionForwardOp>().run()["context"];
    Doubles y = queries_;
    for (std::size_t i = kGnmtLayers + 1; i < layers_.size(); ++i) y = layer(i, beside(y, context_, p_.K), y);
    return y;
  }

  void backward(PlainTensors& out) {
    Doubles d = copied(in_, "dy"), dcontext(context_.size(), 0.0);
    for (std::size_t i = layers_.size(); --i > kGnmtLayers;) {
      const Doubles dx = layer_backward(i, d, out);
      dcontext = sum_of(std::move(dcontext), half_of(dx, p_.K, 1));
      d = with_residual(i, half_of(dx, p_.K, 0), d);
    }
    auto attended = attention<AttentionBackwardOp>();
    attended.with("dcontext", dcontext).run();
    d = sum_of(std::move(d), attended["dqueries"]);
    std::ranges::copy(layer_backward(kGnmtLayers, d, out), out.at<double>("dtarget"));
    d = sum_of(attended["dkeys"], attended["dvalues"]);
    for (std::size_t i = kGnmtLayers; i-- > 0;) d = with_residual(i, layer_backward(i, d, out), d);
    std::ranges::copy(d, out.at<double>("dsource"));
  }

 private:
  template <Operation Op>
  Defined<Op> defined(std::size_t i) const {
    Defined<Op> rnn(layers_[i].rnn);
    for (const char* what : {"weights_layer", "weights_iter", "bias"}) {
      rnn.with(std::string(what) + ".0", in_.at<double>(layers_[i].name + "." + what));
    }
    if (layers_[i].rnn.unequal()) rnn.with("lengths", in_.at<double>("lengths"));
    rnn.with("x", x_[i]);
    return rnn;
  }
  template <Operation Op>
  Defined<Op> attention() const {
    Defined<Op> attended(p_.attention());
    attended.with("queries", queries_).with("keys", encoded_).with("values", encoded_);
    if (p_.unequal()) attended.with("lengths", in_.at<double>("lengths"));
    return attended;
  }
  Doubles with_residual(std::size_t i, Doubles y, const Doubles& residual) const {
    return layers_[i].residual ? sum_of(std::move(y), residual) : y;
  }

  Doubles layer(std::size_t i, const Doubles& x, const Doubles& residual) {
    x_[i] = x;
    return with_residual(i, defined<RnnForwardOp>(i).run()["y"], residual);
  }
  Doubles layer_backward(std::size_t i, const Doubles& dy, PlainTensors& out) const {
    auto rnn = defined<RnnBackwardOp>(i);
    rnn.with("dy", dy).run();
    for (const char* what : {"weights_layer", "weights_iter", "bias"}) {
      std::ranges::copy(rnn[std::string(what) + ".0.gradient"],
                        out.at<double>(layers_[i].name + "." + what + ".gradient"));
    }
    return rnn["dx"];
  }

  const GnmtProblem& p_;
  const PlainTensors& in_;
  std::vector<GnmtLayer> layers_;
  std::vector<Doubles> x_;  // what each layer reads
  Doubles encoded_, queries_, context_;
};

TensorInfo words_of(std::string name, std::int64_t words, const GnmtProblem& p) {
  return {.name = std::move(name), .dims = {words, p.N, p.K}, .per_image = true};
}

}  // namespace

std::vector<TensorInfo> GnmtOp::weights(const GnmtProblem& p) {
  std::vector<TensorInfo> infos;
  for (const GnmtLayer& layer : gnmt_layers(p)) {
    for (TensorInfo info : rnn_ops::weights(layer.rnn)) {
      info.name = layer.name + "." + info.name.substr(0, info.name.rfind('.'));
      infos.push_back(std::move(info));
    }
  }
  return infos;
}

std::vector<TensorInfo> GnmtOp::inputs(const GnmtProblem& p) {
  std::vector<TensorInfo> infos{words_of("source", p.S, p), words_of("target", p.T, p), lengths_of(p)};
  std::ranges::copy(weights(p), std::back_inserter(infos));
  if (p.part == GnmtPart::step) infos.push_back(words_of("dy", p.T, p));
  return infos;
}

std::vector<TensorInfo> GnmtOp::outputs(const GnmtProblem& p) {
  if (p.part == GnmtPart::inference) return {words_of("y", p.T, p)};
  std::vector<TensorInfo> infos{words_of("dsource", p.S, p), words_of("dtarget", p.T, p)};
  for (TensorInfo info : weights(p)) {
    info.name += ".gradient";
    infos.push_back(std::move(info));
  }
  return infos;
}

double GnmtOp::flops(const GnmtProblem& p) {
  const bool step = p.part == GnmtPart::step;
  double flops = AttentionForwardOp::flops(p.attention()) + (step ? AttentionBackwardOp::flops(p.attention()) : 0);
  for (const GnmtLayer& layer : gnmt_layers(p)) flops += (step ? 3 : 1) * layer.rnn.flops();
  return flops;
}

// A layer's errors come from the layers below and from itself. They have random signs, so that their squares add up.
double GnmtOp::bound(const GnmtProblem& p) {
  const double of_attention = 2 * AttentionOp::bound(p.attention());
  double squares = of_attention * of_attention;
  for (const GnmtLayer& layer : gnmt_layers(p)) {
    const double bound =
        p.part == GnmtPart::step ? rnn_ops::backward_bound(layer.rnn) : rnn_ops::forward_bound(layer.rnn);
    squares += bound * bound;
  }
  return std::sqrt(squares);
}

void GnmtOp::settle(const GnmtProblem& p, PlainTensors& in) {
  settle_lengths(in, p.S);
  rnn_ops::settle_weights(weights(p), in);
}

void GnmtOp::reference(const GnmtProblem& p, const PlainTensors& in, PlainTensors& out) {
  GnmtDefinition definition(p, in);
  const Doubles y = definition.forward();
  if (p.part == GnmtPart::inference) {
    std::ranges::copy(y, out.at<double>("y"));
  } else {
    definition.backward(out);
  }
}

}  // namespace brickwork
