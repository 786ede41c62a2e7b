// A recursive LSTM or GRU over sequences by our recurrent layers, which know only sequences of equal length: what it
// costs to be a case of the general one.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "experiments/operations/ours/our_brick.hpp"
#include "primitives/recursive/op/recursive_ops.hpp"
#include "primitives/rnn/rnn.hpp"

namespace brickwork {

// The plain tensors of a sequence model, and those that a recurrent layer wants. Node t of sequence n has the number
// n * T + t; a recurrent layer has [T][N].
class SequenceTensors {
 public:
  explicit SequenceTensors(const RecursiveProblem& p)
      : lstm_(p.model == RecursiveModel::lstm), N_(p.N), T_(p.forest()->nodes() / p.N), H_(p.H) {}

  RnnProblem problem() const {
    return {.name = {}, .T = T_, .N = N_, .C = H_, .K = H_, .cell = lstm_ ? RnnCell::lstm : RnnCell::gru};
  }
  std::string gates() const { return lstm_ ? "ifgo" : "uro"; }

  void by_step(const float* by_node, float* to) const { move_rows(by_node, N_, T_, to); }
  void by_node(const float* by_step, float* to) const { move_rows(by_step, T_, N_, to); }

  // Between a matrix of each gate, such as W_i, and [H][gates][H]; between b_i and [gates][H] if there is one row.
  void join(const PlainTensors& in, const char* name, std::int64_t rows, float* to) const {
    for_each_row(name, rows, [&](const std::string& of, std::int64_t row, std::int64_t place) {
      std::copy_n(in.at<float>(of) + row * H_, H_, to + place);
    });
  }
  void split(const float* from, const char* name, std::int64_t rows, PlainTensors& out) const {
    for_each_row(name, rows, [&](const std::string& of, std::int64_t row, std::int64_t place) {
      std::copy_n(from + place, H_, out.at<float>(recursive_ops::gradient_of_parameter(of)) + row * H_);
    });
  }

 private:
  // [outer][inner][H] -> [inner][outer][H]
  void move_rows(const float* from, std::int64_t outer, std::int64_t inner, float* to) const {
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; ++i) std::copy_n(from + (o * inner + i) * H_, H_, to + (i * outer + o) * H_);
  }
  template <class On>
  void for_each_row(const char* name, std::int64_t rows, const On& on) const {
    const std::string all = gates();
    const auto count = static_cast<std::int64_t>(all.size());
    for (std::int64_t gate = 0; gate < count; ++gate) {
      const std::string of = fmt::format("{}_{}", name, all[static_cast<std::size_t>(gate)]);
      for (std::int64_t row = 0; row < rows; ++row) on(of, row, (row * count + gate) * H_);
    }
  }

  bool lstm_;
  std::int64_t N_, T_, H_;
};

// Base of the contenders: packs, and keeps what an inference and a training step share.
class PreparedByRnn : public Prepared {
 public:
  PreparedByRnn(const RecursiveProblem& p, const PlainTensors& plain, Rnn driver, std::string tuning)
      : plain_(plain), tensors_(p), H_(p.H), driver_(std::move(driver)), tuning_(std::move(tuning)) {
    const RnnProblem layer = driver_.problem();
    rows_.resize(static_cast<std::size_t>(layer.T * layer.N * H_));
    zeros_.resize(static_cast<std::size_t>(layer.N * H_));
    weights_.resize(static_cast<std::size_t>(layer.gates() * H_ * (2 * H_ + 1)));
  }

  void pack() override {
    tensors_.by_step(plain_.at<float>("x"), rows_.data());
    driver_.set_x(rows_.data());
    driver_.set_states(zeros_.data(), zeros_.data());
    set_weights(driver_);
  }
  std::string implementation() const override { return "recurrent layers"; }
  std::string plan() const override { return to_string(driver_.plan()); }
  std::string isa() const override { return std::string(driver_.isa()); }
  std::string tuning() const override { return tuning_; }

 protected:
  // W, U and b of all gates lie behind each other.
  float* weights_iter() { return weights_.data() + weights_.size() / static_cast<std::size_t>(2 * H_ + 1) * H_; }
  float* bias() { return weights_iter() + (weights_iter() - weights_.data()); }

  void set_weights(Rnn& driver) {
    tensors_.join(plain_, "W", H_, weights_.data());
    tensors_.join(plain_, "U", H_, weights_iter());
    tensors_.join(plain_, "b", 1, bias());
    driver.set_weights(0, weights_.data(), weights_iter(), bias());
  }

  const PlainTensors& plain_;
  const SequenceTensors tensors_;
  const std::int64_t H_;
  Rnn driver_;
  std::vector<float> rows_, zeros_, weights_;

 private:
  std::string tuning_;
};

class PreparedInferenceByRnn final : public PreparedByRnn {
 public:
  // An LSTM layer keeps c of the last step alone. `step`, a layer of one step with the same weights, gives the others.
  PreparedInferenceByRnn(const RecursiveProblem& p, const PlainTensors& plain, Rnn driver, std::optional<Rnn> step,
                         std::string tuning)
      : PreparedByRnn(p, plain, std::move(driver), std::move(tuning)), step_(std::move(step)) {}

  void run() override { driver_.run(); }
  void unpack(PlainTensors& out) override {
    std::vector<float> h(rows_.size());
    driver_.get_y(h.data());
    tensors_.by_node(h.data(), out.at<float>("h"));
    if (!step_) return;
    set_weights(*step_);
    std::vector<float> c(h.size()), new_h(zeros_.size());
    const float* before = zeros_.data();
    for (std::size_t at = 0; at < h.size(); at += zeros_.size()) {
      step_->set_x(rows_.data() + at);
      step_->set_states(at == 0 ? zeros_.data() : h.data() + at - zeros_.size(), before);
      step_->run();
      step_->get_states(new_h.data(), c.data() + at);
      before = c.data() + at;
    }
    tensors_.by_node(c.data(), out.at<float>("c"));
  }

 private:
  std::optional<Rnn> step_;
};

class PreparedTrainingByRnn final : public PreparedByRnn {
 public:
  using PreparedByRnn::PreparedByRnn;

  void pack() override {
    PreparedByRnn::pack();
    std::vector<float> gradients(rows_.size());
    tensors_.by_step(plain_.at<float>("dh"), gradients.data());
    driver_.set_gradients(gradients.data(), zeros_.data(), nullptr);
  }
  void run() override {
    driver_.run();
    driver_.run_backward_data();
    driver_.run_weight_update();
  }
  void unpack(PlainTensors& out) override {
    std::vector<float> dx(rows_.size()), of_states(zeros_.size());
    driver_.get_data_gradients(dx.data(), of_states.data(), nullptr);
    tensors_.by_node(dx.data(), out.at<float>("dx"));
    driver_.get_weight_gradients(0, weights_.data(), weights_iter(), bias());
    tensors_.split(weights_.data(), "W", H_, out);
    tensors_.split(weights_iter(), "U", H_, out);
    tensors_.split(bias(), "b", 1, out);
  }
};

template <Operation Op>
Contender<Op> recursive_by_rnn(const Options& options) {
  static constexpr bool kTraining = std::is_same_v<Op, RecursiveTrainingOp>;
  const OurBrick ours(Backend::simd, options);
  auto contender = ours.contender<Op>();
  contender.name = "brickwork-rnn";
  contender.prepare = [=](const RecursiveProblem& p, const PlainTensors& inputs,
                          const Resources& r) -> Result<PreparedPtr> {
    const bool lstm = p.model == RecursiveModel::lstm;
    if ((!lstm && p.model != RecursiveModel::gru) || p.structures != RecursiveStructures::sequences) {
      return Result<PreparedPtr>::unsupported("recurrent layers take an LSTM or a GRU over sequences of equal length");
    }
    if (lstm && kTraining) {
      return Result<PreparedPtr>::unsupported("a recurrent LSTM takes the gradient of c at the last step alone");
    }
    const auto make = [&](const RnnProblem& layer) {
      return Rnn::make({layer, kTraining ? RnnUse::training : RnnUse::inference},
                       plan_rnn(layer, this_machine(r.threads, ours.tuning())), ours.backend(), ours.isa(),
                       ours.tuning());
    };
    RnnProblem layer = SequenceTensors(p).problem();
    auto driver = make(layer);
    if (!driver) return {driver.status(), driver.reason()};
    if constexpr (kTraining) {
      return PreparedPtr(std::make_unique<PreparedTrainingByRnn>(p, inputs, *std::move(driver), ours.tuning_text()));
    } else {
      layer.T = 1;
      std::optional<Rnn> step;
      if (lstm) step = *make(layer);
      return PreparedPtr(
          std::make_unique<PreparedInferenceByRnn>(p, inputs, *std::move(driver), std::move(step), ours.tuning_text()));
    }
  };
  return contender;
}

}  // namespace brickwork
