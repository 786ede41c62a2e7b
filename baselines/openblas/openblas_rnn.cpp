#include "baselines/openblas/openblas_rnn.hpp"

#include "baselines/rnn_baselines.hpp"
#ifdef BRICKWORK_HAS_OPENBLAS
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "baselines/openblas/openblas.hpp"

namespace brickwork {
namespace openblas {
namespace {

float logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }

std::size_t elements(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace

std::optional<std::string> unsupported_rnn(const RnnProblem& p, int threads) {
  if (p.unequal()) return "the SGEMM of a step takes all sequences: none may end early";
  return unsupported({p.T * p.N, p.C, p.gates() * p.K, p.D() * p.K}, "T * N, C and G * K", threads);
}

RnnForward::RnnForward(const RnnProblem& p, const PlainTensors& in, int threads, bool keep)
    : problem_(p),
      in_(in),
      threads_(threads),
      keep_(keep),
      gates_(elements(keep ? 0 : p.T * p.N * p.gates() * p.K)),
      state_gates_(elements(p.N * p.gates() * p.K)) {
  use_threads(threads);
  const std::int64_t states = p.N * p.K, columns = p.gates() * p.K;
  const auto kept = [&](std::int64_t steps) { return AlignedBuffer<float>(elements((keep ? steps : 1) * states)); };
  for (std::int64_t l = 0; l < p.L; ++l) {
    const auto plain = [&](const char* name) { return in.at<float>(fmt::format("{}.{}", name, l)); };
    y_.emplace_back(elements(p.T * states * p.D()));
    for (std::int64_t d = 0; d < p.D(); ++d) {
      Way& way = ways_.emplace_back();
      way.l = l;
      way.d = d;
      way.weights = plain("weights_layer") + d * p.features(l) * columns;
      way.state_weights = plain("weights_iter") + d * p.K * columns;
      way.bias = plain("bias") + d * p.biases() * p.K;
      way.h = kept(p.T + 1);
      if (keep) way.gates = AlignedBuffer<float>(elements(p.T * p.N * columns));
      if (p.has_c()) way.c = kept(p.T + 1);
      if (p.cell == RnnCell::gru || (keep && p.cell == RnnCell::lbr_gru)) way.inner = kept(p.T);
    }
  }
}

const float* RnnForward::read_by(std::int64_t layer) const {
  return layer == 0 ? in_.at<float>("x") : y_[elements(layer - 1)].data();
}

void RnnForward::run() {
  for (Way& way : ways_) run(way);
}

void RnnForward::run(Way& way) {
  const RnnProblem& p = problem_;
  const std::int64_t inputs = p.features(way.l), columns = p.gates() * p.K, states = p.N * p.K;
  const std::int64_t first = before(way, step(way, 0)), place = (way.l * p.D() + way.d) * states;
  std::copy_n(in_.at<float>("h0") + place, states, way.h.data() + first);
  if (p.has_c()) std::copy_n(in_.at<float>("c0") + place, states, way.c.data() + first);
  float* const all_gates = keep_ ? way.gates.data() : gates_.data();
  sgemm(p.T * p.N, columns, inputs, {read_by(way.l), inputs}, {way.weights, columns}, 0.0f, all_gates);
  for (std::int64_t s = 0; s < p.T; ++s) {
    const std::int64_t t = step(way, s);
    float* const gates = all_gates + t * p.N * columns;
    const float* const h = way.h.data() + before(way, t);
    if (p.cell == RnnCell::gru) {
      step_gru(way, t, gates);
    } else {
      sgemm(p.N, columns, p.K, {h, p.K}, {way.state_weights, columns}, 0.0f, state_gates_.data());
    }
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t n = 0; n < p.N; ++n) finish_row(way, t, n, gates + n * columns);
  }
}

// A GRU's step up to the sums of o.
void RnnForward::step_gru(Way& way, std::int64_t t, float* gates) {
  const std::int64_t N = problem_.N, K = problem_.K;
  const float* const h = way.h.data() + before(way, t);
  float* const reset = way.inner.data() + (keep_ ? t * N * K : 0);
  sgemm(N, 2 * K, K, {h, K}, {way.state_weights, 3 * K}, 0.0f, {state_gates_.data(), 3 * K});
#pragma omp parallel for num_threads(threads_)
  for (std::int64_t n = 0; n < N; ++n) {
    for (std::int64_t k = 0; k < K; ++k) {
      for (const std::int64_t gate : {n * 3 * K + k, (n * 3 + 1) * K + k}) {
        gates[gate] = logistic(gates[gate] + state_gates_[elements(gate)] + way.bias[gate - n * 3 * K]);
      }
      reset[n * K + k] = gates[(n * 3 + 1) * K + k] * h[n * K + k];
    }
  }
  sgemm(N, K, K, {reset, K}, {way.state_weights + 2 * K, 3 * K}, 0.0f, {state_gates_.data() + 2 * K, 3 * K});
}

// Computes the states of one sequence from the sums W x, which the gates replace, and U h.
void RnnForward::finish_row(Way& way, std::int64_t t, std::int64_t n, float* gate) {
  const RnnProblem& p = problem_;
  const std::int64_t K = p.K;
  const float *const state = state_gates_.data() + n * p.gates() * K, *const bias = way.bias;
  const float* const h = way.h.data() + before(way, t) + n * K;
  float* const next = way.h.data() + after(way, t) + n * K;
  const auto sum = [&](std::int64_t i) { return gate[i] + state[i] + bias[i]; };
  switch (p.cell) {
    case RnnCell::lstm: {
      const float* const c = way.c.data() + before(way, t) + n * K;
      float* const next_c = way.c.data() + after(way, t) + n * K;
      for (std::int64_t k = 0; k < K; ++k) {
        const float i = logistic(sum(k)), f = logistic(sum(K + k)), g = std::tanh(sum(2 * K + k)),
                    o = logistic(sum(3 * K + k));
        next_c[k] = f * c[k] + i * g;
        next[k] = o * std::tanh(next_c[k]);
        if (!keep_) continue;
        gate[k] = i;
        gate[K + k] = f;
        gate[2 * K + k] = g;
        gate[3 * K + k] = o;
      }
      break;
    }
    case RnnCell::gru:
      for (std::int64_t k = 0; k < K; ++k) {
        gate[2 * K + k] = std::tanh(sum(2 * K + k));
        next[k] = gate[k] * h[k] + (1 - gate[k]) * gate[2 * K + k];
      }
      break;
    case RnnCell::lbr_gru:
      for (std::int64_t k = 0; k < K; ++k) {
        const float u = logistic(sum(k)), r = logistic(sum(K + k)), inner = state[2 * K + k] + bias[3 * K + k];
        const float o = std::tanh(gate[2 * K + k] + bias[2 * K + k] + r * inner);
        next[k] = u * h[k] + (1 - u) * o;
        if (!keep_) continue;
        way.inner[elements((t * p.N + n) * K + k)] = inner;
        gate[k] = u;
        gate[K + k] = r;
        gate[2 * K + k] = o;
      }
      break;
    case RnnCell::rnn_tanh:
      for (std::int64_t k = 0; k < K; ++k) next[k] = std::tanh(sum(k));
      break;
    case RnnCell::rnn_relu:
      for (std::int64_t k = 0; k < K; ++k) next[k] = std::max(sum(k), 0.0f);
      break;
  }
  std::copy_n(next, K, y_[elements(way.l)].data() + ((t * p.N + n) * p.D() + way.d) * K);
}

namespace {

class PreparedRnnForward final : public Prepared {
 public:
  PreparedRnnForward(const RnnProblem& p, const PlainTensors& in, int threads, bool keep)
      : problem_(p), forward_(p, in, threads, keep) {}

  void pack() override {}
  void run() override { forward_.run(); }
  void unpack(PlainTensors& out) override {
    const RnnProblem& p = problem_;
    std::copy_n(forward_.read_by(p.L), p.T * p.N * p.D() * p.K, out.at<float>("y"));
    for (const RnnForward::Way& way : forward_.ways()) {
      const std::int64_t place = (way.l * p.D() + way.d) * p.N * p.K;
      std::copy_n(way.h.data() + forward_.last(way), p.N * p.K, out.at<float>("hT") + place);
      if (p.has_c()) std::copy_n(way.c.data() + forward_.last(way), p.N * p.K, out.at<float>("cT") + place);
    }
  }
  std::string implementation() const override { return "sgemm"; }
  std::string isa() const override { return openblas::isa(); }

 private:
  RnnProblem problem_;
  RnnForward forward_;
};

template <Operation Op>
Contender<Op> forward_contender(bool keep) {
  return {.name = "openblas",
          .library = {"OpenBLAS", version()},
          .prepare = [=](const RnnProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = unsupported_rnn(p, r.threads)) return Result<PreparedPtr>::unsupported(*why);
            return {std::make_unique<PreparedRnnForward>(p, in, r.threads, keep)};
          }};
}

}  // namespace
}  // namespace openblas

Contender<RnnInferenceOp> openblas_rnn_inference() { return openblas::forward_contender<RnnInferenceOp>(false); }
Contender<RnnForwardOp> openblas_rnn_forward() { return openblas::forward_contender<RnnForwardOp>(true); }

}  // namespace brickwork

#else

namespace brickwork {
Contender<RnnInferenceOp> openblas_rnn_inference() { return absent_library<RnnInferenceOp>("openblas", "OpenBLAS"); }
Contender<RnnForwardOp> openblas_rnn_forward() { return absent_library<RnnForwardOp>("openblas", "OpenBLAS"); }
}  // namespace brickwork

#endif
