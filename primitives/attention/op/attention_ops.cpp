#include "primitives/attention/op/attention_ops.hpp"

#include <cmath>
#include <limits>

#include "primitives/op/compare.hpp"

namespace brickwork {
namespace {

TensorInfo states_of(std::string name, std::int64_t steps, const AttentionProblem& p) {
  return {.name = std::move(name), .dims = {steps, p.N, p.K}, .per_image = true};
}

// One sequence's rows of a tensor [steps][N][K].
template <class Number>
struct SequenceStates {
  Number* values;
  std::int64_t N, K, n;

  Number* operator[](std::int64_t step) const { return values + (step * N + n) * K; }
};

double dot_of(const double* a, const double* b, std::int64_t size) {
  double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

void add_times(double factor, const double* x, std::int64_t size, double* sum) {
  for (std::int64_t i = 0; i < size; ++i) sum[i] += factor * x[i];
}

class AttentionDefinition {
 public:
  AttentionDefinition(const AttentionProblem& p, const PlainTensors& in) : p_(p), in_(in) {
    check_lengths(p, in.values<double>("lengths"));
  }

  void forward(PlainTensors& out) const {
    for_each_row([&](std::int64_t n, std::int64_t t, std::int64_t steps, const double* weights) {
      double* const context = of("context", n, out)[t];
      for (std::int64_t s = 0; s < steps; ++s) add_times(weights[s], of("values", n)[s], p_.K, context);
      std::copy_n(weights, steps, out.at<double>("weights") + (n * p_.T + t) * p_.S);
    });
  }

  void backward(PlainTensors& out) const {
    std::vector<double> row(static_cast<std::size_t>(p_.S));
    double* const dweights = row.data();
    for_each_row([&](std::int64_t n, std::int64_t t, std::int64_t steps, const double* weights) {
      const double *const query = of("queries", n)[t], *const dcontext = of("dcontext", n)[t];
      double mean = 0;
      for (std::int64_t s = 0; s < steps; ++s) {
        dweights[s] = dot_of(dcontext, of("values", n)[s], p_.K);
        mean += weights[s] * dweights[s];
        add_times(weights[s], dcontext, p_.K, of("dvalues", n, out)[s]);
      }
      for (std::int64_t s = 0; s < steps; ++s) {
        const double dproduct = p_.score_scale() * weights[s] * (dweights[s] - mean);
        add_times(dproduct, of("keys", n)[s], p_.K, of("dqueries", n, out)[t]);
        add_times(dproduct, query, p_.K, of("dkeys", n, out)[s]);
      }
    });
  }

 private:
  SequenceStates<const double> of(const char* name, std::int64_t n) const {
    return {in_.at<double>(name), p_.N, p_.K, n};
  }
  SequenceStates<double> of(const char* name, std::int64_t n, PlainTensors& out) const {
    return {out.at<double>(name), p_.N, p_.K, n};
  }

  // with(n, t, steps, weights), with a weight for each of the sequence's steps.
  template <class With>
  void for_each_row(const With& with) const {
    const double* const lengths = in_.at<double>("lengths");
    for (std::int64_t n = 0; n < p_.N; ++n) {
      const std::int64_t steps = lengths == nullptr ? p_.S : static_cast<std::int64_t>(lengths[n]);
      std::vector<double> weights(static_cast<std::size_t>(steps));
      for (std::int64_t t = 0; t < p_.T; ++t) {
        for (std::int64_t s = 0; s < steps; ++s) {
          weights.data()[s] = p_.score_scale() * dot_of(of("queries", n)[t], of("keys", n)[s], p_.K);
        }
        const double max = std::ranges::max(weights);
        double sum = 0;
        for (double& weight : weights) sum += weight = std::exp(weight - max);
        for (double& weight : weights) weight /= sum;
        with(n, t, steps, weights.data());
      }
    }
  }

  const AttentionProblem& p_;
  const PlainTensors& in_;
};

}  // namespace

// For sums over sums in f32, whose errors grow with the square root of their terms. If outputs are few, all of them may
// be sums that cancel out, and their errors are larger beside them.
double AttentionOp::bound(const AttentionProblem& p) {
  const double terms = static_cast<double>(p.K) + static_cast<double>(p.S) + static_cast<double>(p.T);
  const double growth = std::min(p.T, p.K) * p.S * p.N < 256 ? 1024 : 4;
  return growth * std::numeric_limits<float>::epsilon() * (16 + std::sqrt(terms));
}

void AttentionOp::settle(const AttentionProblem& p, PlainTensors& in) {
  const double scale = 3 / (std::sqrt(static_cast<double>(p.K)) * p.score_scale());
  for (double& x : in.values<double>("queries")) x *= scale;
  settle_lengths(in, p.S);
}

double AttentionOp::product_flops(const AttentionProblem& p) {
  return 2.0 * static_cast<double>(p.N) * static_cast<double>(p.T) * static_cast<double>(p.S) *
         static_cast<double>(p.K);
}

std::vector<TensorInfo> AttentionForwardOp::inputs(const AttentionProblem& p) {
  return {states_of("queries", p.T, p), states_of("keys", p.S, p), states_of("values", p.S, p), lengths_of(p)};
}

std::vector<TensorInfo> AttentionForwardOp::outputs(const AttentionProblem& p) {
  return {states_of("context", p.T, p), {.name = "weights", .dims = {p.N, p.T, p.S}, .per_image = true}};
}

void AttentionForwardOp::reference(const AttentionProblem& p, const PlainTensors& in, PlainTensors& out) {
  const AttentionDefinition definition(p, in);
  fill_with_zeros(out);
  definition.forward(out);
}

std::vector<TensorInfo> AttentionBackwardOp::inputs(const AttentionProblem& p) {
  std::vector<TensorInfo> infos = AttentionForwardOp::inputs(p);
  infos.push_back(states_of("dcontext", p.T, p));
  return infos;
}

std::vector<TensorInfo> AttentionBackwardOp::outputs(const AttentionProblem& p) {
  return {states_of("dqueries", p.T, p), states_of("dkeys", p.S, p), states_of("dvalues", p.S, p)};
}

void AttentionBackwardOp::reference(const AttentionProblem& p, const PlainTensors& in, PlainTensors& out) {
  const AttentionDefinition definition(p, in);
  fill_with_zeros(out);
  definition.backward(out);
}

}  // namespace brickwork
