// Recurrent layers backward, as frameworks build them on a BLAS: for each step a loop over its elements and one SGEMM
// for the state before it (a GRU's two); then one SGEMM over all steps for x and for each of the weights.
#include "baselines/rnn_baselines.hpp"
#ifdef BRICKWORK_HAS_OPENBLAS
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "baselines/openblas/openblas.hpp"
#include "baselines/openblas/openblas_rnn.hpp"

namespace brickwork {
namespace openblas {
namespace {

using Way = RnnForward::Way;

float dlogistic(float y) { return y * (1 - y); }  // at the result y, like dtanh
float dtanh(float y) { return 1 - y * y; }

// Backward by data, the weight update, or both. For an update alone, backward by data runs while the contender packs.
class PreparedRnnBackward final : public Prepared {
 public:
  PreparedRnnBackward(const RnnProblem& p, const PlainTensors& in, int threads, bool data, bool update)
      : p_(p),
        in_(in),
        threads_(threads),
        data_(data),
        update_(update),
        columns_(p.gates() * p.K),
        forward_(p, in, threads, true),
        data_gradients_(rnn_ops::data_gradients(p)),
        weight_gradients_(rnn_ops::weight_gradients(p)),
        dh_(data_gradients_.at<float>("dh0")),
        dc_(data_gradients_.at<float>("dc0")),
        dreset_(elements_of(p.cell == RnnCell::gru ? p.N * p.K : 0)) {
    for (std::int64_t l = 0; l < p.L; ++l) {
      if (l > 0) dx_.emplace_back(elements_of(p.T * p.N * p.features(l)));
      for (std::int64_t d = 0; d < p.D(); ++d) {
        dgates_.emplace_back(elements_of(p.T * p.N * columns_));
        if (p.cell == RnnCell::lbr_gru) dstate_gates_.emplace_back(elements_of(p.T * p.N * columns_));
      }
    }
  }

  void pack() override {
    forward_.run();
    if (!data_) run_data();
  }
  void run() override {
    if (data_) run_data();
    if (!update_) return;
    for (const Way& way : forward_.ways()) run_update(way);
  }
  void unpack(PlainTensors& out) override {
    const auto put = [&](const PlainTensors& gradients) {
      for (const TensorInfo& info : gradients.infos()) {
        if (info.size() > 0) std::copy_n(gradients.at<float>(info.name), info.size(), out.at<float>(info.name));
      }
    };
    if (data_) put(data_gradients_);
    if (update_) put(weight_gradients_);
  }
  std::string implementation() const override { return "sgemm"; }
  std::string isa() const override { return openblas::isa(); }

 private:
  static std::size_t elements_of(std::int64_t n) { return static_cast<std::size_t>(n); }
  std::size_t index(const Way& way) const { return elements_of(way.l * p_.D() + way.d); }

  // Gradients of the gates' sums with x, and of their sums with the state; they differ in o of an lbr_gru.
  float* dgates(const Way& way) { return dgates_[index(way)].data(); }
  float* dstate_gates(const Way& way) {
    return p_.cell == RnnCell::lbr_gru ? dstate_gates_[index(way)].data() : dgates(way);
  }
  float* dx(std::int64_t layer) {
    return layer == 0 ? data_gradients_.at<float>("dx") : dx_[elements_of(layer - 1)].data();
  }
  const float* dy_of(std::int64_t layer) { return layer == p_.L - 1 ? in_.at<float>("dy") : dx(layer + 1); }

  void run_data() {
    const auto& ways = forward_.ways();
    for (auto way = ways.rbegin(); way != ways.rend(); ++way) {
      through_time(*way);
      const std::int64_t inputs = p_.features(way->l);
      sgemm(p_.T * p_.N, inputs, columns_, {dgates(*way), columns_}, {way->weights, columns_, true},
            way->d == p_.D() - 1 ? 0.0f : 1.0f, dx(way->l));
    }
  }

  void through_time(const Way& way) {
    const std::int64_t N = p_.N, K = p_.K, place = (way.l * p_.D() + way.d) * N * K;
    const float* const dy_of_way = dy_of(way.l) + way.d * K;
    float* const dh = dh_ + place;
    std::copy_n(in_.at<float>("dhT") + place, N * K, dh);
    if (p_.has_c()) std::copy_n(in_.at<float>("dcT") + place, N * K, dc_ + place);
    for (std::int64_t s = p_.T; s-- > 0;) {
      const std::int64_t t = forward_.step(way, s);
#pragma omp parallel for num_threads(threads_)
      for (std::int64_t n = 0; n < N; ++n) start_row(way, t, n, dy_of_way + (t * N + n) * p_.D() * K);
      float* const d = dstate_gates(way) + t * N * columns_;
      if (p_.cell == RnnCell::gru) {
        reset(way, t, d, dh);
      } else {
        sgemm(N, K, columns_, {d, columns_}, {way.state_weights, columns_, true}, keeps_state() ? 1.0f : 0.0f, dh);
      }
    }
  }

  // Whether a part of the state bypasses the gates.
  bool keeps_state() const { return p_.cell == RnnCell::gru || p_.cell == RnnCell::lbr_gru; }

  // For one sequence: the gates' gradients from the state's gradient, and the part that bypasses the gates.
  void start_row(const Way& way, std::int64_t t, std::int64_t n, const float* dy) {
    const std::int64_t K = p_.K, row = t * p_.N + n, place = ((way.l * p_.D() + way.d) * p_.N + n) * K;
    const float* const gate = way.gates.data() + row * columns_;
    const float* const h = way.h.data() + forward_.before(way, t) + n * K;
    const float* const next = way.h.data() + forward_.after(way, t) + n * K;
    float* const dgate = dgates(way) + row * columns_;
    float* const dh = dh_ + place;
    for (std::int64_t k = 0; k < K; ++k) dh[k] += dy[k];
    switch (p_.cell) {
      case RnnCell::lstm: {
        const float* const c = way.c.data() + forward_.before(way, t) + n * K;
        const float* const next_c = way.c.data() + forward_.after(way, t) + n * K;
        float* const dc = dc_ + place;
        for (std::int64_t k = 0; k < K; ++k) {
          const float i = gate[k], f = gate[K + k], g = gate[2 * K + k], o = gate[3 * K + k];
          const float tanh_c = std::tanh(next_c[k]), dc_after = dc[k] + dh[k] * o * dtanh(tanh_c);
          dgate[k] = dc_after * g * dlogistic(i);
          dgate[K + k] = dc_after * c[k] * dlogistic(f);
          dgate[2 * K + k] = dc_after * i * dtanh(g);
          dgate[3 * K + k] = dh[k] * tanh_c * dlogistic(o);
          dc[k] = dc_after * f;
        }
        return;
      }
      case RnnCell::gru:
      case RnnCell::lbr_gru:
        for (std::int64_t k = 0; k < K; ++k) {
          const float u = gate[k], o = gate[2 * K + k];
          dgate[k] = dh[k] * (h[k] - o) * dlogistic(u);
          dgate[2 * K + k] = dh[k] * (1 - u) * dtanh(o);
          dh[k] *= u;
        }
        if (p_.cell == RnnCell::gru) return;
        for (std::int64_t k = 0; k < K; ++k) {
          const float r = gate[K + k], inner = way.inner[elements_of(row * K + k)];
          float* const dstate = dstate_gates(way) + row * columns_;
          dgate[K + k] = dgate[2 * K + k] * inner * dlogistic(r);
          dstate[k] = dgate[k];
          dstate[K + k] = dgate[K + k];
          dstate[2 * K + k] = dgate[2 * K + k] * r;
        }
        return;
      case RnnCell::rnn_tanh:
        for (std::int64_t k = 0; k < K; ++k) dgate[k] = dh[k] * dtanh(next[k]);
        return;
      case RnnCell::rnn_relu:
        for (std::int64_t k = 0; k < K; ++k) dgate[k] = next[k] > 0 ? dh[k] : 0;
        return;
    }
  }

  // Backward through a GRU's reset gate, which lies between two products.
  void reset(const Way& way, std::int64_t t, float* dgate, float* dh) {
    const std::int64_t N = p_.N, K = p_.K;
    sgemm(N, K, K, {dgate + 2 * K, 3 * K}, {way.state_weights + 2 * K, 3 * K, true}, 0.0f, dreset_.data());
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t n = 0; n < N; ++n) {
      const float* const h = way.h.data() + forward_.before(way, t) + n * K;
      const float* const r = way.gates.data() + ((t * N + n) * 3 + 1) * K;
      for (std::int64_t k = 0; k < K; ++k) {
        const float d = dreset_[elements_of(n * K + k)];
        dgate[(n * 3 + 1) * K + k] = d * h[k] * dlogistic(r[k]);
        dh[n * K + k] += d * r[k];
      }
    }
    sgemm(N, K, 2 * K, {dgate, 3 * K}, {way.state_weights, 3 * K, true}, 1.0f, dh);
  }

  void run_update(const Way& way) {
    const std::int64_t rows = p_.T * p_.N, K = p_.K, inputs = p_.features(way.l);
    const auto gradient = [&](const char* name, std::int64_t height) {
      return weight_gradients_.at<float>(fmt::format("{}.{}.gradient", name, way.l)) + way.d * height * K;
    };
    float* const dweights = gradient("weights_layer", inputs * p_.gates());
    float* const dstate_weights = gradient("weights_iter", columns_);
    float* const dbias = gradient("bias", p_.biases());
    const float *const d = dgates(way), *const dstate = dstate_gates(way);
    const float* const h = way.h.data() + std::min(forward_.before(way, 0), forward_.before(way, p_.T - 1));
    sgemm(inputs, columns_, rows, {forward_.read_by(way.l), inputs, true}, {d, columns_}, 0.0f, dweights);
    if (p_.cell == RnnCell::gru) {
      sgemm(K, 2 * K, rows, {h, K, true}, {d, columns_}, 0.0f, {dstate_weights, columns_});
      sgemm(K, K, rows, {way.inner.data(), K, true}, {d + 2 * K, columns_}, 0.0f, {dstate_weights + 2 * K, columns_});
    } else {
      sgemm(K, columns_, rows, {h, K, true}, {dstate, columns_}, 0.0f, dstate_weights);
    }
    sum_rows(d, columns_, dbias);
    if (p_.cell == RnnCell::lbr_gru) sum_rows(dstate + 2 * K, K, dbias + columns_);
  }

  // Sums of the first `columns` columns of rows over all steps and sequences.
  void sum_rows(const float* rows, std::int64_t columns, float* sums) const {
    constexpr std::int64_t kWidth = 64;  // columns that a thread sums at a time
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t begin = 0; begin < columns; begin += kWidth) {
      const std::int64_t end = std::min(columns, begin + kWidth);
      std::fill(sums + begin, sums + end, 0.0f);
      for (std::int64_t row = 0; row < p_.T * p_.N; ++row) {
        for (std::int64_t i = begin; i < end; ++i) sums[i] += rows[row * columns_ + i];
      }
    }
  }

  RnnProblem p_;
  const PlainTensors& in_;
  int threads_;
  bool data_, update_;
  std::int64_t columns_;  // G * K
  RnnForward forward_;
  PlainTensors data_gradients_, weight_gradients_;
  float *dh_, *dc_;                                          // of each way: state gradients at its current step, in the
                                                             // end those of h0 and c0
  std::vector<AlignedBuffer<float>> dgates_, dstate_gates_;  // of each way: [T][N][G][K]
  std::vector<AlignedBuffer<float>> dx_;                     // of each layer except the first
  AlignedBuffer<float> dreset_;                              // [N][K]: the gradient of a GRU's r h
};

template <Operation Op>
Contender<Op> backward_contender(bool data, bool update) {
  return {.name = "openblas",
          .library = {"OpenBLAS", version()},
          .prepare = [=](const RnnProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = unsupported_rnn(p, r.threads)) return Result<PreparedPtr>::unsupported(*why);
            return {std::make_unique<PreparedRnnBackward>(p, in, r.threads, data, update)};
          }};
}

}  // namespace
}  // namespace openblas

Contender<RnnBackwardOp> openblas_rnn_backward() { return openblas::backward_contender<RnnBackwardOp>(true, true); }
Contender<RnnBackwardDataOp> openblas_rnn_backward_data() {
  return openblas::backward_contender<RnnBackwardDataOp>(true, false);
}
Contender<RnnWeightUpdateOp> openblas_rnn_weight_update() {
  return openblas::backward_contender<RnnWeightUpdateOp>(false, true);
}

}  // namespace brickwork

#else

namespace brickwork {
Contender<RnnBackwardOp> openblas_rnn_backward() { return absent_library<RnnBackwardOp>("openblas", "OpenBLAS"); }
Contender<RnnBackwardDataOp> openblas_rnn_backward_data() {
  return absent_library<RnnBackwardDataOp>("openblas", "OpenBLAS");
}
Contender<RnnWeightUpdateOp> openblas_rnn_weight_update() {
  return absent_library<RnnWeightUpdateOp>("openblas", "OpenBLAS");
}
}  // namespace brickwork

#endif
