// Recurrent layers, forward, as frameworks make them of a BLAS: one SGEMM of the input for all steps, then at each step
// one of the state (a GRU's two) and a loop over its elements, whose curves are the C library's. All on the plain
// tensors.
#include "rnn_baselines.hpp"
#ifdef BRICKWORK_HAS_OPENBLAS
#include <algorithm>
#include <cmath>
#include <string>

#include "openblas.hpp"

namespace brickwork {
namespace openblas {
namespace {

float logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }

class PreparedRnn final : public Prepared {
 public:
  PreparedRnn(const RnnProblem& p, const PlainTensors& in, int threads)
      : problem_(p),
        in_(in),
        threads_(threads),
        gates_(p.T * p.N * p.gates() * p.K),
        state_gates_(p.N * p.gates() * p.K),
        reset_(p.cell == RnnCell::gru ? p.N * p.K : 0),
        h_(p.L * p.D() * p.N * p.K),
        c_(p.has_c() ? h_.size() : 0) {
    use_threads(threads);
    for (std::int64_t l = 0; l < p.L; ++l) {
      layers_.push_back({plain("weights_layer", l), plain("weights_iter", l), plain("bias", l),
                         AlignedBuffer<float>(static_cast<std::size_t>(p.T * p.N * p.D() * p.K))});
    }
  }

  void pack() override {}
  void run() override {
    std::copy_n(in_.at<float>("h0"), h_.size(), h_.data());
    if (problem_.has_c()) std::copy_n(in_.at<float>("c0"), c_.size(), c_.data());
    for (std::int64_t l = 0; l < problem_.L; ++l)
      for (std::int64_t d = 0; d < problem_.D(); ++d) run(l, d);
  }
  void unpack(PlainTensors& out) override {
    std::ranges::copy(layers_.back().y, out.at<float>("y"));
    std::ranges::copy(h_, out.at<float>("hT"));
    if (problem_.has_c()) std::ranges::copy(c_, out.at<float>("cT"));
  }
  std::string implementation() const override { return "sgemm"; }
  std::string isa() const override { return openblas::isa(); }

 private:
  struct Layer {
    const float *weights, *state_weights, *bias;
    AlignedBuffer<float> y;  // [T][N][D * K]
  };

  const float* plain(const char* what, std::int64_t l) const {
    return in_.at<float>(std::string(what) + "." + std::to_string(l));
  }

  // One layer and way.
  void run(std::int64_t l, std::int64_t d) {
    const auto& p = problem_;
    const std::int64_t inputs = p.features(l), columns = p.gates() * p.K;
    Layer& layer = layers_[static_cast<std::size_t>(l)];
    const float* const x = l == 0 ? in_.at<float>("x") : layers_[static_cast<std::size_t>(l - 1)].y.data();
    const float* const U = layer.state_weights + d * p.K * columns;
    const float* const bias = layer.bias + d * p.biases() * p.K;
    float* const h = h_.data() + (l * p.D() + d) * p.N * p.K;
    float* const c = p.has_c() ? c_.data() + (l * p.D() + d) * p.N * p.K : nullptr;
    sgemm(p.T * p.N, columns, inputs, {x, inputs}, {layer.weights + d * inputs * columns, columns}, 0.0f,
          gates_.data());
    for (std::int64_t s = 0; s < p.T; ++s) {
      const std::int64_t t = p.reversed(d) ? p.T - 1 - s : s;
      float* const gates = gates_.data() + t * p.N * columns;
      if (p.cell == RnnCell::gru) {
        step_gru(gates, U, bias, h);
      } else {
        sgemm(p.N, columns, p.K, {h, p.K}, {U, columns}, 0.0f, state_gates_.data());
        for_each_sequence([&](std::int64_t n) {
          for (std::int64_t k = 0; k < p.K; ++k) {
            step(gates + n * columns + k, state_gates_.data() + n * columns + k, bias + k, h[n * p.K + k],
                 c == nullptr ? nullptr : c + n * p.K + k);
          }
        });
      }
      for_each_sequence(
          [&](std::int64_t n) { std::copy_n(h + n * p.K, p.K, layer.y.data() + ((t * p.N + n) * p.D() + d) * p.K); });
    }
  }

  template <class With>
  void for_each_sequence(const With& with) const {
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t n = 0; n < problem_.N; ++n) with(n);
  }

  // One element: W x, U h and b of its gates, each K behind the one before.
  void step(const float* layer, const float* state, const float* bias, float& h, float* c) const {
    const std::int64_t K = problem_.K;
    const auto sum = [&](int g) { return layer[g * K] + state[g * K] + bias[g * K]; };
    switch (problem_.cell) {
      case RnnCell::lstm:
        *c = logistic(sum(1)) * *c + logistic(sum(0)) * std::tanh(sum(2));
        h = logistic(sum(3)) * std::tanh(*c);
        return;
      case RnnCell::lbr_gru: {
        const float u = logistic(sum(0)), r = logistic(sum(1));
        h = u * h + (1 - u) * std::tanh(layer[2 * K] + bias[2 * K] + r * (state[2 * K] + bias[3 * K]));
        return;
      }
      case RnnCell::rnn_tanh:
        h = std::tanh(sum(0));
        return;
      case RnnCell::rnn_relu:
        h = sum(0) < 0 ? 0 : sum(0);
        return;
      case RnnCell::gru:
        break;
    }
    throw std::logic_error("a GRU takes two products a step");
  }

  void step_gru(float* gates, const float* U, const float* bias, float* h) {
    const std::int64_t N = problem_.N, K = problem_.K;
    sgemm(N, 2 * K, K, {h, K}, {U, 3 * K}, 0.0f, state_gates_.data());
    for_each_sequence([&](std::int64_t n) {
      for (std::int64_t k = 0; k < K; ++k) {
        const auto gate = [&](int g) {
          return logistic(gates[(n * 3 + g) * K + k] + state_gates_[(n * 2 + g) * K + k] + bias[g * K + k]);
        };
        gates[n * 3 * K + k] = gate(0);
        reset_[n * K + k] = gate(1) * h[n * K + k];
      }
    });
    sgemm(N, K, K, {reset_.data(), K}, {U + 2 * K, 3 * K}, 0.0f, state_gates_.data());
    for_each_sequence([&](std::int64_t n) {
      for (std::int64_t k = 0; k < K; ++k) {
        const float u = gates[n * 3 * K + k], sum = gates[(n * 3 + 2) * K + k] + state_gates_[n * K + k];
        h[n * K + k] = u * h[n * K + k] + (1 - u) * std::tanh(sum + bias[2 * K + k]);
      }
    });
  }

  RnnProblem problem_;
  const PlainTensors& in_;
  int threads_;
  AlignedBuffer<float> gates_, state_gates_;  // W x of all steps, and U h of one: [N][G][K]
  AlignedBuffer<float> reset_;                // r h of a GRU
  AlignedBuffer<float> h_, c_;                // [L * D][N][K]
  std::vector<Layer> layers_;
};

template <Operation Op>
Contender<Op> rnn_contender() {
  return {.name = "openblas",
          .library = {"OpenBLAS", version()},
          .prepare = [](const RnnProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (p.unequal()) {
              return Result<PreparedPtr>::unsupported("the SGEMM of a step takes all sequences: none may end early");
            }
            if (const auto why =
                    unsupported({p.T * p.N, p.C, p.gates() * p.K, p.D() * p.K}, "T * N, C and G * K", r.threads)) {
              return Result<PreparedPtr>::unsupported(*why);
            }
            return {std::make_unique<PreparedRnn>(p, in, r.threads)};
          }};
}

}  // namespace
}  // namespace openblas

Contender<RnnInferenceOp> openblas_rnn_inference() { return openblas::rnn_contender<RnnInferenceOp>(); }

}  // namespace brickwork

#else

namespace brickwork {
Contender<RnnInferenceOp> openblas_rnn_inference() { return absent_library<RnnInferenceOp>("openblas", "OpenBLAS"); }
}  // namespace brickwork

#endif
