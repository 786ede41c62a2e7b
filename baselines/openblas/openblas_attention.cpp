// Attention by SGEMMs for each sequence and a loop over its scores with the C library's exp.
#include "baselines/attention_baselines.hpp"
#ifdef BRICKWORK_HAS_OPENBLAS
#include <algorithm>
#include <cmath>

#include "baselines/openblas/openblas.hpp"

namespace brickwork {
namespace openblas {
namespace {

void softmax_row(float* x, std::int64_t size, float scale) {
  const float max = *std::max_element(x, x + size);
  float sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += x[i] = std::exp(scale * (x[i] - max));
  for (std::int64_t i = 0; i < size; ++i) x[i] /= sum;
}

void softmax_row_backward(const float* y, float* dx, std::int64_t size, float scale) {
  float mean = 0;
  for (std::int64_t i = 0; i < size; ++i) mean += y[i] * dx[i];
  for (std::int64_t i = 0; i < size; ++i) dx[i] = scale * y[i] * (dx[i] - mean);
}

class PreparedAttention final : public Prepared {
 public:
  PreparedAttention(const AttentionProblem& p, const PlainTensors& in, bool backward, int threads)
      : problem_(p),
        in_(in),
        threads_(threads),
        backward_(backward),
        weights_(static_cast<std::size_t>(p.N * p.T * p.S)),
        of_decoder_(static_cast<std::size_t>(p.N * p.T * p.K)) {
    use_threads(threads);
    if (!backward) return;
    dweights_ = AlignedBuffer<float>(weights_.size());
    dkeys_ = AlignedBuffer<float>(static_cast<std::size_t>(p.N * p.S * p.K));
    dvalues_ = AlignedBuffer<float>(dkeys_.size());
  }

  void pack() override {
    if (backward_) for_each_sequence([this](std::int64_t n) { forward(n); });
  }
  void run() override {
    for_each_sequence([this](std::int64_t n) { backward_ ? backward(n) : forward(n); });
  }
  void unpack(PlainTensors& out) override {
    const auto& p = problem_;
    to_steps(of_decoder_, p.T, out.at<float>(backward_ ? "dqueries" : "context"));
    if (backward_) {
      to_steps(dkeys_, p.S, out.at<float>("dkeys"));
      to_steps(dvalues_, p.S, out.at<float>("dvalues"));
      return;
    }
    for (std::int64_t n = 0; n < p.N; ++n)
      for (std::int64_t t = 0; t < p.T; ++t) {
        const float* const row = weights_.data() + n * p.T * p.S + t * length(n);
        float* const to = out.at<float>("weights") + (n * p.T + t) * p.S;
        std::fill(std::copy_n(row, length(n), to), to + p.S, 0.0F);
      }
  }
  std::string implementation() const override { return "sgemm"; }
  std::string isa() const override { return openblas::isa(); }

 private:
  template <class With>
  void for_each_sequence(const With& with) const {
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t n = 0; n < problem_.N; ++n) with(n);
  }

  std::int64_t length(std::int64_t n) const {
    return problem_.unequal() ? in_.at<std::int32_t>("lengths")[n] : problem_.S;
  }
  Factor states(const char* name, std::int64_t n) const {
    return {in_.at<float>(name) + n * problem_.K, problem_.N * problem_.K};
  }
  static Factor transposed(Factor of) { return {of.data, of.row, true}; }
  // Scores of sequence n: [T][its length].
  float* scores(AlignedBuffer<float>& of, std::int64_t n) const { return of.data() + n * problem_.T * problem_.S; }
  float* rows(AlignedBuffer<float>& of, std::int64_t steps, std::int64_t n) const {
    return of.data() + n * steps * problem_.K;
  }

  void forward(std::int64_t n) {
    const auto& p = problem_;
    const std::int64_t S = length(n);
    float* const weights = scores(weights_, n);
    sgemm(p.T, S, p.K, states("queries", n), transposed(states("keys", n)), 0.0f, weights);
    for (std::int64_t t = 0; t < p.T; ++t) softmax_row(weights + t * S, S, static_cast<float>(p.score_scale()));
    sgemm(p.T, p.K, S, {weights, S}, states("values", n), 0.0f, rows(of_decoder_, p.T, n));
  }

  void backward(std::int64_t n) {
    const auto& p = problem_;
    const std::int64_t S = length(n);
    float *const weights = scores(weights_, n), *const dweights = scores(dweights_, n);
    sgemm(S, p.K, p.T, {weights, S, true}, states("dcontext", n), 0.0f, rows(dvalues_, p.S, n));
    sgemm(p.T, S, p.K, states("dcontext", n), transposed(states("values", n)), 0.0f, dweights);
    for (std::int64_t t = 0; t < p.T; ++t) {
      softmax_row_backward(weights + t * S, dweights + t * S, S, static_cast<float>(p.score_scale()));
    }
    sgemm(p.T, p.K, S, {dweights, S}, states("keys", n), 0.0f, rows(of_decoder_, p.T, n));
    sgemm(S, p.K, p.T, {dweights, S, true}, states("queries", n), 0.0f, rows(dkeys_, p.S, n));
  }

  // [N][steps][K] becomes [steps][N][K]. Beyond the end of a sequence are the buffer's zeros.
  void to_steps(const AlignedBuffer<float>& from, std::int64_t steps, float* to) const {
    const auto& p = problem_;
    for (std::int64_t s = 0; s < steps; ++s)
      for (std::int64_t n = 0; n < p.N; ++n)
        std::copy_n(from.data() + (n * steps + s) * p.K, p.K, to + (s * p.N + n) * p.K);
  }

  AttentionProblem problem_;
  const PlainTensors& in_;
  int threads_;
  bool backward_;
  AlignedBuffer<float> weights_;     // [T][its length] for each sequence, T * S apart
  AlignedBuffer<float> of_decoder_;  // [N][T][K]: the context or dqueries
  AlignedBuffer<float> dweights_, dkeys_, dvalues_;
};

template <Operation Op>
Contender<Op> attention_contender(bool backward) {
  return {.name = "openblas",
          .library = {"OpenBLAS", version()},
          .prepare = [=](const AttentionProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = unsupported({p.T, p.S, p.N * p.K}, "T, S and N * K", r.threads)) {
              return Result<PreparedPtr>::unsupported(*why);
            }
            return {std::make_unique<PreparedAttention>(p, in, backward, r.threads)};
          }};
}

}  // namespace
}  // namespace openblas

Contender<AttentionForwardOp> openblas_attention_forward() {
  return openblas::attention_contender<AttentionForwardOp>(false);
}
Contender<AttentionBackwardOp> openblas_attention_backward() {
  return openblas::attention_contender<AttentionBackwardOp>(true);
}

}  // namespace brickwork

#else

namespace brickwork {

Contender<AttentionForwardOp> openblas_attention_forward() {
  return absent_library<AttentionForwardOp>("openblas", "OpenBLAS");
}
Contender<AttentionBackwardOp> openblas_attention_backward() {
  return absent_library<AttentionBackwardOp>("openblas", "OpenBLAS");
}

}  // namespace brickwork

#endif
