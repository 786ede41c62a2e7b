#include "primitives/testing/oracle/plain_attention.hpp"

#include <cmath>

#include "primitives/testing/oracle/plain_elementwise.hpp"

namespace brickwork::oracle {
namespace {

// A tensor [steps][N][K].
struct States {
  const float* values;
  std::int64_t N, K;

  float operator()(std::int64_t step, std::int64_t n, std::int64_t k) const { return values[(step * N + n) * K + k]; }
};

class PlainAttention {
 public:
  PlainAttention(const AttentionProblem& p, const PlainTensors& in)
      : p_(p),
        lengths_(in.at<std::int32_t>("lengths")),
        queries_(states(in, "queries")),
        keys_(states(in, "keys")),
        values_(states(in, "values")),
        scale_(p.scale == AttentionScale::scaled ? 1 / std::sqrt(static_cast<double>(p.K)) : 1) {}

  States states(const PlainTensors& in, const char* name) const { return {in.at<float>(name), p_.N, p_.K}; }
  std::int64_t length(std::int64_t n) const { return lengths_ == nullptr ? p_.S : lengths_[n]; }

  Intervals weights(std::int64_t n, std::int64_t t) const {
    Intervals scores;
    for (std::int64_t s = 0; s < length(n); ++s) {
      Sum score;
      for (std::int64_t k = 0; k < p_.K; ++k) score.add_product(queries_(t, n, k), keys_(s, n, k));
      scores.push_back(scaled(score.value()));
    }
    return softmax(scores);
  }

  // The gradients of a row's scores, from the row's weights and the gradient of the context.
  Intervals dscores(std::int64_t n, std::int64_t t, const Intervals& weights, const States& dcontext) const {
    Intervals dweights, dscores;
    Sum mean;
    for (std::int64_t s = 0; s < length(n); ++s) {
      Sum dweight;
      for (std::int64_t k = 0; k < p_.K; ++k) dweight.add_product(dcontext(t, n, k), values_(s, n, k));
      dweights.push_back(dweight.value());
      mean.add_product(weights[static_cast<std::size_t>(s)], dweights.back());
    }
    for (std::size_t s = 0; s < weights.size(); ++s) {
      dscores.push_back(scaled(weights[s]) * (dweights[s] - mean.value()));
    }
    return dscores;
  }

  const States& queries() const { return queries_; }
  const States& keys() const { return keys_; }
  const States& values() const { return values_; }

 private:
  Interval scaled(const Interval& x) const { return scale_ == 1 ? x : rounded(Interval::of(scale_) * x, 2); }

  const AttentionProblem& p_;
  const std::int32_t* lengths_;
  States queries_, keys_, values_;
  double scale_;
};

std::size_t place(const AttentionProblem& p, std::int64_t step, std::int64_t n, std::int64_t k) {
  return static_cast<std::size_t>((step * p.N + n) * p.K + k);
}

}  // namespace

Outcomes attention_forward(const AttentionProblem& p, const PlainTensors& in) {
  const PlainAttention attention(p, in);
  Intervals context(static_cast<std::size_t>(p.T * p.N * p.K)), all_weights(static_cast<std::size_t>(p.N * p.T * p.S));
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t t = 0; t < p.T; ++t) {
      const Intervals weights = attention.weights(n, t);
      std::ranges::copy(weights, all_weights.begin() + (n * p.T + t) * p.S);
      for (std::int64_t k = 0; k < p.K; ++k) {
        Sum sum;
        for (std::size_t s = 0; s < weights.size(); ++s) {
          sum.add_product(weights[s], Interval::of(attention.values()(static_cast<std::int64_t>(s), n, k)));
        }
        context[place(p, t, n, k)] = sum.value();
      }
    }
  return {{"context", context}, {"weights", all_weights}};
}

Outcomes attention_backward(const AttentionProblem& p, const PlainTensors& in) {
  const PlainAttention attention(p, in);
  const States dcontext = attention.states(in, "dcontext");
  Intervals dqueries(static_cast<std::size_t>(p.T * p.N * p.K));
  const auto of_encoder = static_cast<std::size_t>(p.S * p.N * p.K);
  std::vector<Sum> dkeys(of_encoder), dvalues(of_encoder);
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t t = 0; t < p.T; ++t) {
      const Intervals weights = attention.weights(n, t), dscores = attention.dscores(n, t, weights, dcontext);
      for (std::int64_t k = 0; k < p.K; ++k) {
        Sum dquery;
        for (std::int64_t s = 0; s < attention.length(n); ++s) {
          const auto i = static_cast<std::size_t>(s);
          dquery.add_product(dscores[i], Interval::of(attention.keys()(s, n, k)));
          dkeys[place(p, s, n, k)].add_product(dscores[i], Interval::of(attention.queries()(t, n, k)));
          dvalues[place(p, s, n, k)].add_product(weights[i], Interval::of(dcontext(t, n, k)));
        }
        dqueries[place(p, t, n, k)] = dquery.value();
      }
    }
  const auto values_of = [](const std::vector<Sum>& sums) {
    Intervals values;
    for (const Sum& sum : sums) values.push_back(sum.value());
    return values;
  };
  return {{"dqueries", dqueries}, {"dkeys", values_of(dkeys)}, {"dvalues", values_of(dvalues)}};
}

}  // namespace brickwork::oracle
