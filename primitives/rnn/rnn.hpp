// Stacked recurrent layers, inference and training: LSTM, GRU and plain cells in every direction.
//
// x and every layer's states are blocked by features over all steps (rnn_steps.hpp). A layer reads the states of the
// one below as they were written.
#pragma once
#include <vector>

#include "primitives/rnn/host/rnn_on_host.hpp"
#include "primitives/rnn/rnn_directed_layer.hpp"

namespace brickwork {

struct RnnWork {
  RnnProblem problem;
  RnnUse use = RnnUse::inference;  // training keeps each step's gates and states for backward
};

// If K is no multiple of a block, an infinity in x or in a state makes its sequence NaN from that step on, because the
// features that pad the last block have weights of 0.
class Rnn {
 public:
  // Refused if the plan does not fit.
  static Result<Rnn> make(const RnnWork&, const RnnPlan&, const RnnTarget&);
  static Result<Rnn> make(const RnnWork& work, const RnnPlan& plan, Backend backend, Isa isa = Isa::best,
                          const SimdTuning& tuning = {}) {
    return make(work, plan, RnnOnHost(backend, isa, tuning));
  }

  // These take the plain tensors of rnn_ops.hpp.
  void set_x(const float* x);
  void set_states(const float* h0, const float* c0);  // c0: LSTM only
  // [N], or null if all are T; throws std::invalid_argument if one is not from 1 to T.
  void set_lengths(const std::int32_t* lengths);
  void set_weights(std::int64_t layer, const float* weights_layer, const float* weights_iter, const float* bias);

  void run();

  void get_y(float* y) const;
  void get_states(float* hT, float* cT) const;

  // Training only, after run(). Takes the gradients of the outputs and gives those of the inputs. run_backward_data()
  // goes back through time and keeps the gates' gradients, which run_weight_update() needs.
  void set_gradients(const float* dy, const float* dhT, const float* dcT);
  void run_backward_data();
  void run_weight_update();
  void get_data_gradients(float* dx, float* dh0, float* dc0) const;
  void get_weight_gradients(std::int64_t layer, float* weights_layer, float* weights_iter, float* bias) const;

  const RnnProblem& problem() const { return problem_; }
  const RnnPlan& plan() const { return plan_; }
  std::string_view isa() const { return layers_.front().isa(); }

 private:
  Rnn(const RnnProblem&, const RnnPlan&, const RnnTarget&);

  const std::int32_t* lengths() const { return lengths_.empty() ? nullptr : lengths_there_.data(); }
  void clear_x_beyond_ends();
  // on(n, t) for every step t after the end of sequence n.
  template <class On>
  void for_each_beyond_end(const On& on) const {
    for (std::int64_t n = 0; n < static_cast<std::int64_t>(lengths_.size()); ++n)
      for (std::int64_t t = lengths_[static_cast<std::size_t>(n)]; t < problem_.T; ++t) on(n, t);
  }
  const RnnDirectedLayer& directed(std::int64_t l, std::int64_t d) const {
    return layers_[static_cast<std::size_t>(l * problem_.D() + d)];
  }
  RnnDirectedLayer& directed(std::int64_t l, std::int64_t d) {
    return layers_[static_cast<std::size_t>(l * problem_.D() + d)];
  }
  std::size_t layer(std::size_t i) const { return i / static_cast<std::size_t>(problem_.D()); }
  std::int64_t state(std::size_t i) const { return static_cast<std::int64_t>(i) * problem_.N * problem_.K; }
  const float* x_of(std::size_t layer) const { return layer == 0 ? x_.data() : y_[layer - 1].data(); }

  RnnProblem problem_;
  RnnPlan plan_;
  RnnSteps x_steps_, y_steps_;
  TargetArray<float> x_;
  std::vector<TargetArray<float>> y_;  // of each layer
  std::vector<std::int32_t> lengths_;
  TargetArray<std::int32_t> lengths_there_;
  std::vector<RnnDirectedLayer> layers_;  // [layer][direction]
  TargetArray<float> dx_;                 // training only, as dy_
  std::vector<TargetArray<float>> dy_;
};

}  // namespace brickwork
