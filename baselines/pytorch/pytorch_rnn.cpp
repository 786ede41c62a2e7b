#include "baselines/pytorch/pytorch_rnn.hpp"

#include <torch/torch.h>

#include <string>
#include <tuple>
#include <vector>

#include "baselines/pytorch/pytorch_tensors.hpp"

namespace brickwork::pytorch {
namespace {

using at::Tensor;

// "weights_layer.1", followed by `behind`.
std::string of_layer(const char* what, std::int64_t l, const char* behind = "") {
  std::string name(what);
  return name.append(".").append(std::to_string(l)).append(behind);
}

class RecurrentLayers final : public Prepared {
 public:
  RecurrentLayers(const RnnProblem& problem, RnnPass pass, const PlainTensors& inputs)
      : problem_(problem), pass_(pass), inputs_(inputs) {}

  void pack() override {
    in_one_sentence([&] {
      x_ = leaf(view(inputs_, "x").clone());
      states_ = {leaf(view(inputs_, "h0").clone())};
      if (problem_.has_c()) states_.push_back(leaf(view(inputs_, "c0").clone()));
      if (problem_.unequal()) order_by_length();
      parameters_.clear();
      for (std::int64_t l = 0; l < problem_.L; ++l) pack_layer(l);
      if (pass_ == RnnPass::backward) forward();
    });
  }

  void run() override {
    in_one_sentence([&] {
      if (pass_ == RnnPass::backward) return backward();
      const at::AutoGradMode training(pass_ == RnnPass::forward);
      forward();
    });
  }

  void unpack(PlainTensors& outputs) override {
    const torch::NoGradGuard values_alone;
    if (pass_ == RnnPass::backward) return unpack_gradients(outputs);
    view(outputs, "y").copy_(results_[0]);
    view(outputs, "hT").copy_(results_[1]);
    if (problem_.has_c()) view(outputs, "cT").copy_(results_[2]);
  }

  std::string implementation() const override { return "eager"; }
  std::string isa() const override { return pytorch::isa(); }

 private:
  static constexpr std::size_t kParameters = 4;  // per layer and direction: W_ih, W_hh, b_ih, b_hh

  Tensor leaf(const Tensor& values) const { return values.contiguous().requires_grad_(pass_ != RnnPass::inference); }

  // Converts our order of a GRU's gates to PyTorch's (r, u, o), and back.
  Tensor reordered(const Tensor& gates, std::int64_t dim) const {
    return problem_.gates() == 3 ? gates.index_select(dim, at::tensor({1, 0, 2}, at::kLong)) : gates;
  }

  // Our weights are [D][features][G][K], PyTorch's [G * K][features]. PyTorch has two biases; only a
  // linear-before-reset GRU needs a part of the second.
  void pack_layer(std::int64_t l) {
    const std::int64_t columns = problem_.gates() * problem_.K;
    for (std::int64_t d = 0; d < problem_.D(); ++d) {
      for (const char* name : {"weights_layer", "weights_iter"}) {
        const Tensor weights = reordered(view(inputs_, of_layer(name, l))[d], 1);
        parameters_.push_back(leaf(weights.permute({1, 2, 0}).reshape({columns, weights.size(0)})));
      }
      const Tensor bias = view(inputs_, of_layer("bias", l))[d];
      parameters_.push_back(leaf(reordered(bias.slice(0, 0, problem_.gates()), 0).reshape(columns).clone()));
      Tensor second = at::zeros_like(parameters_.back().detach());
      if (problem_.cell == RnnCell::lbr_gru) second.slice(0, 2 * problem_.K).copy_(bias[3]);
      parameters_.push_back(leaf(second));
    }
  }

  void order_by_length() {
    const Tensor lengths = view(inputs_, "lengths").to(at::kLong);
    order_ = lengths.argsort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
    inverse_ = order_.argsort();
    lengths_ = lengths.index_select(0, order_);
  }

  // `input` is the padded input, or the packed sequences and the number of them at each step.
  template <class... Input>
  void forward_of(const std::vector<Tensor>& states, const Input&... input) {
    const bool training = pass_ != RnnPass::inference, both = problem_.D() > 1;
    const auto call = [&](const auto& layers, const auto& first) {
      if constexpr (sizeof...(Input) == 1) {
        return layers(input..., first, parameters_, true, problem_.L, 0.0, training, both, /*batch_first=*/false);
      } else {
        return layers(input..., first, parameters_, true, problem_.L, 0.0, training, both);
      }
    };
    const auto keep = [&](const auto& results) {
      std::apply([&](const auto&... tensors) { results_ = {tensors...}; }, results);
    };
    switch (problem_.cell) {
      case RnnCell::lstm:
        return keep(call([](const auto&... a) { return at::lstm(a...); }, at::TensorList(states)));
      case RnnCell::lbr_gru:
        return keep(call([](const auto&... a) { return at::gru(a...); }, states[0]));
      case RnnCell::rnn_tanh:
        return keep(call([](const auto&... a) { return at::rnn_tanh(a...); }, states[0]));
      case RnnCell::rnn_relu:
        return keep(call([](const auto&... a) { return at::rnn_relu(a...); }, states[0]));
      case RnnCell::gru:
        break;
    }
    throw std::logic_error("PyTorch has no such cell");
  }

  void forward() {
    results_.clear();
    if (!problem_.unequal()) return forward_of(states_, x_);
    std::vector<Tensor> states;
    for (const Tensor& state : states_) states.push_back(state.index_select(1, order_));
    const auto [data, sizes] = at::_pack_padded_sequence(x_.index_select(1, order_), lengths_, false);
    forward_of(states, data, sizes);
    results_[0] = std::get<0>(at::_pad_packed_sequence(results_[0], sizes, false, 0.0, problem_.T));
    for (Tensor& result : results_) result = result.index_select(1, inverse_);
  }

  void backward() {
    std::vector<Tensor> of{x_}, upstream{view(inputs_, "dy"), view(inputs_, "dhT")};
    of.insert(of.end(), states_.begin(), states_.end());
    of.insert(of.end(), parameters_.begin(), parameters_.end());
    if (problem_.has_c()) upstream.push_back(view(inputs_, "dcT"));
    gradients_ = torch::autograd::grad(results_, of, upstream, /*retain_graph=*/true);
  }

  void unpack_gradients(PlainTensors& outputs) const {
    auto gradient = gradients_.begin();
    for (const char* name : {"dx", "dh0"}) view(outputs, name).copy_(*gradient++);
    if (problem_.has_c()) view(outputs, "dc0").copy_(*gradient++);
    const std::int64_t G = problem_.gates(), K = problem_.K;
    for (std::int64_t l = 0; l < problem_.L; ++l) {
      for (std::int64_t d = 0; d < problem_.D(); ++d, gradient += kParameters) {
        const auto output = [&](const char* what) { return view(outputs, of_layer(what, l, ".gradient"))[d]; };
        const auto weights = [&](const Tensor& blocks) {
          return reordered(blocks.reshape({G, K, -1}).permute({2, 0, 1}), 1);
        };
        output("weights_layer").copy_(weights(gradient[0]));
        output("weights_iter").copy_(weights(gradient[1]));
        const Tensor bias = output("bias");
        bias.slice(0, 0, G).copy_(reordered(gradient[2].reshape({G, K}), 0));
        if (problem_.cell == RnnCell::lbr_gru) bias[3].copy_(gradient[3].slice(0, 2 * K));
      }
    }
  }

  const RnnProblem problem_;
  const RnnPass pass_;
  const PlainTensors& inputs_;
  Tensor x_, order_, inverse_, lengths_;
  std::vector<Tensor> states_, parameters_, results_, gradients_;
};

template <Operation Op>
Contender<Op> rnn(RnnPass pass) {
  return {.name = "pytorch",
          .library = {.name = "PyTorch", .version = version(), .absent = {}},
          .prepare = [=](const RnnProblem& p, const PlainTensors& inputs, const Resources& resources) {
            return prepare_rnn(p, pass, inputs, resources);
          }};
}

}  // namespace

Result<PreparedPtr> prepare_rnn(const RnnProblem& p, RnnPass pass, const PlainTensors& inputs,
                                const Resources& resources) {
  if (p.cell == RnnCell::gru) {
    return Result<PreparedPtr>::unsupported("PyTorch's GRU is linear before reset: the cell must be lbr-gru");
  }
  if (p.direction == RnnDirection::reverse) {
    return Result<PreparedPtr>::unsupported("PyTorch has no recurrent layers that run only in reverse");
  }
  at::set_num_threads(resources.threads);
  return {std::make_unique<RecurrentLayers>(p, pass, inputs)};
}

Contender<RnnInferenceOp> rnn_inference() { return rnn<RnnInferenceOp>(RnnPass::inference); }
Contender<RnnForwardOp> rnn_forward() { return rnn<RnnForwardOp>(RnnPass::forward); }
Contender<RnnBackwardOp> rnn_backward() { return rnn<RnnBackwardOp>(RnnPass::backward); }

}  // namespace brickwork::pytorch
