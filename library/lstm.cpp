// brickwork_lstm_*: layers of LSTM cells, one upon the other.
#include <brickwork/brickwork.h>

#include <mutex>

#include "library/handles.hpp"
#include "library/runtime.hpp"
#include "library/status.hpp"
#include "primitives/rnn/rnn.hpp"

namespace brickwork::library {
namespace {

// How far a sequence of calls has come, which decides what may follow.
enum class Done { nothing, forward, backward };

class Lstm {
 public:
  Lstm(const RnnProblem& p, bool training)
      : training_(training),
        weights_of_(static_cast<std::size_t>(p.L), false),
        rnn_(take(Rnn::make({p, training ? RnnUse::training : RnnUse::inference}, plan_rnn(p, machine_model()),
                            Backend::simd, Isa::best, tuning()))) {}

  void set_weights(std::int64_t layer, const float* input, const float* state, const float* bias) {
    require({{input, "input"}, {state, "state"}, {bias, "bias"}});
    const std::lock_guard lock(mutex_);
    require_layer(layer);
    rnn_.set_weights(layer, input, state, bias);
    weights_of_[static_cast<std::size_t>(layer)] = true;
    done_ = Done::nothing;
  }

  void forward(const float* x, const float* h0, const float* c0, float* y, float* hT, float* cT) {
    require({{x, "x"}, {h0, "h0"}, {c0, "c0"}, {y, "y"}, {hT, "hT"}, {cT, "cT"}});
    const std::lock_guard lock(mutex_);
    for (std::size_t l = 0; l < weights_of_.size(); ++l) {
      if (!weights_of_[l]) {
        throw std::invalid_argument(
            fmt::format("layer {} has no weights yet: call brickwork_lstm_set_weights() for each layer", l));
      }
    }
    rnn_.set_x(x);
    rnn_.set_states(h0, c0);
    rnn_.run();
    rnn_.get_y(y);
    rnn_.get_states(hT, cT);
    done_ = Done::forward;
  }

  void backward(const float* dy, const float* dhT, const float* dcT, float* dx, float* dh0, float* dc0) {
    require({{dy, "dy"}, {dhT, "dhT"}, {dcT, "dcT"}, {dx, "dx"}, {dh0, "dh0"}, {dc0, "dc0"}});
    const std::lock_guard lock(mutex_);
    if (!training_) throw std::invalid_argument("the LSTM has no backward pass: create it with training = 1");
    if (done_ == Done::nothing) throw std::invalid_argument("there is no forward to go back through: call it first");
    rnn_.set_gradients(dy, dhT, dcT);
    rnn_.run_backward_data();
    rnn_.run_weight_update();
    rnn_.get_data_gradients(dx, dh0, dc0);
    done_ = Done::backward;
  }

  void weight_gradients(std::int64_t layer, float* input, float* state, float* bias) {
    require({{input, "input"}, {state, "state"}, {bias, "bias"}});
    const std::lock_guard lock(mutex_);
    require_layer(layer);
    if (done_ != Done::backward) throw std::invalid_argument("there are no gradients yet: call backward first");
    rnn_.get_weight_gradients(layer, input, state, bias);
  }

 private:
  void require_layer(std::int64_t layer) const {
    const auto layers = static_cast<std::int64_t>(weights_of_.size());
    if (layer < 0 || layer >= layers) {
      throw std::invalid_argument(fmt::format("there is no layer {}: expected 0 to {}", layer, layers - 1));
    }
  }

  bool training_;
  Done done_ = Done::nothing;
  std::vector<bool> weights_of_;
  Rnn rnn_;
  std::mutex mutex_;
};

Handles<Lstm, brickwork_lstm>& lstms() {
  static auto& all = *new Handles<Lstm, brickwork_lstm>("LSTM");
  return all;
}

}  // namespace
}  // namespace brickwork::library

using namespace brickwork;
using namespace brickwork::library;

brickwork_status brickwork_lstm_create(const brickwork_lstm_sizes* sizes, brickwork_lstm* lstm) {
  return answer([&] {
    require({{sizes, "sizes"}, {lstm, "lstm"}});
    *lstm = nullptr;
    RnnProblem p;
    p.T = sizes->T;
    p.N = sizes->N;
    p.C = sizes->C;
    p.K = sizes->K;
    p.L = sizes->L;
    p.direction = flag(sizes->bidirectional, "bidirectional") ? RnnDirection::bidirectional : RnnDirection::forward;
    p.validate();
    start_kokkos();
    *lstm = lstms().add(std::make_shared<Lstm>(p, flag(sizes->training, "training")));
  });
}

brickwork_status brickwork_lstm_set_weights(brickwork_lstm lstm, int64_t layer, const float* input, const float* state,
                                            const float* bias) {
  return answer([&] { lstms().at(lstm)->set_weights(layer, input, state, bias); });
}

brickwork_status brickwork_lstm_forward(brickwork_lstm lstm, const float* x, const float* h0, const float* c0, float* y,
                                        float* hT, float* cT) {
  return answer([&] { lstms().at(lstm)->forward(x, h0, c0, y, hT, cT); });
}

brickwork_status brickwork_lstm_backward(brickwork_lstm lstm, const float* dy, const float* dhT, const float* dcT,
                                         float* dx, float* dh0, float* dc0) {
  return answer([&] { lstms().at(lstm)->backward(dy, dhT, dcT, dx, dh0, dc0); });
}

brickwork_status brickwork_lstm_weight_gradients(brickwork_lstm lstm, int64_t layer, float* input, float* state,
                                                 float* bias) {
  return answer([&] { lstms().at(lstm)->weight_gradients(layer, input, state, bias); });
}

brickwork_status brickwork_lstm_destroy(brickwork_lstm lstm) {
  return answer([&] { lstms().remove(lstm); });
}
