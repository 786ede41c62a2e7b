#include "primitives/softmax_loss/op/softmax_loss_ops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace brickwork {
namespace {

constexpr double kLargestLogit = 8;

// log(sum of exp(x)), without overflow for large x.
double log_sum_exp(std::span<const double> logits) {
  const double max = std::ranges::max(logits);
  double sum = 0;
  for (const double x : logits) sum += std::exp(x - max);
  return max + std::log(sum);
}

std::span<const double> row_of(const PlainTensors& in, std::int64_t n, std::int64_t classes) {
  return {in.at<double>("logits") + n * classes, static_cast<std::size_t>(classes)};
}

std::size_t label_of(const PlainTensors& in, std::int64_t n) {
  return static_cast<std::size_t>(in.at<double>("labels")[n]);
}

}  // namespace

const SizeTable<SoftmaxLossProblem>& SoftmaxLossProblem::table() {
  using P = SoftmaxLossProblem;
  static const SizeTable<SoftmaxLossProblem> table{
      .kind = "softmax-loss",
      .sizes = {{.key = "N", .column = "N", .member = &P::N}, {.key = "C", .column = "classes", .member = &P::C}},
      .words = {}};
  return table;
}

void SoftmaxLossProblem::validate() const { check_sizes(*this, std::int64_t{1} << 30, "2^30"); }

std::vector<TensorInfo> SoftmaxLossOp::inputs(const SoftmaxLossProblem& p) {
  return {{.name = "logits", .dims = {p.N, p.C}, .per_image = true},
          {.name = "labels", .dims = {p.N}, .per_image = true, .dtype = DType::i32}};
}

void SoftmaxLossOp::settle(const SoftmaxLossProblem& p, PlainTensors& in) {
  for (double& logit : in.values<double>(0)) logit *= kLargestLogit;
  for (double& label : in.values<double>(1)) label = std::floor((label + 1) / 2 * static_cast<double>(p.C));
}

double SoftmaxLossForwardOp::bound(const SoftmaxLossProblem&) { return 64 * std::numeric_limits<float>::epsilon(); }

void SoftmaxLossForwardOp::reference(const SoftmaxLossProblem& p, const PlainTensors& in, PlainTensors& out) {
  double sum = 0;
  for (std::int64_t n = 0; n < p.N; ++n) {
    const auto logits = row_of(in, n, p.C);
    sum += log_sum_exp(logits) - logits[label_of(in, n)];
  }
  *out.at<double>("loss") = sum / static_cast<double>(p.N);
}

double SoftmaxLossBackwardOp::bound(const SoftmaxLossProblem& p) {
  return 64 * std::numeric_limits<float>::epsilon() / static_cast<double>(p.N);
}

void SoftmaxLossBackwardOp::reference(const SoftmaxLossProblem& p, const PlainTensors& in, PlainTensors& out) {
  for (std::int64_t n = 0; n < p.N; ++n) {
    const auto logits = row_of(in, n, p.C);
    const double all = log_sum_exp(logits);
    double* gradient = out.at<double>("dlogits") + n * p.C;
    for (std::size_t c = 0; c < logits.size(); ++c) {
      gradient[c] = (std::exp(logits[c] - all) - (c == label_of(in, n))) / static_cast<double>(p.N);
    }
  }
}

}  // namespace brickwork
