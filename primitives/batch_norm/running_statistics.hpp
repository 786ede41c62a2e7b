// The statistics by which a network's inference normalises: a moving average over the minibatches of its training.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickwork {

// One mean and variance per channel, in f64, because f32 averages far from zero would round small steps away. Before
// the first minibatch means are 0 and variances 1.
class RunningStatistics {
 public:
  explicit RunningStatistics(std::int64_t channels)
      : mean_(static_cast<std::size_t>(channels)), variance_(mean_.size(), 1.0) {}

  // Adds a minibatch's mean and biased variance, as BatchNorm::forward gives them, over `values` values per channel.
  // The average is one of unbiased variances. A single value has none; it counts as 0.
  void add(const double* mean, const double* variance, std::int64_t values) {
    constexpr double kNew = 0.1;  // a minibatch's share, as in most frameworks
    const auto n = static_cast<double>(values);
    const double unbiased = values > 1 ? n / (n - 1) : 1;
    for (std::size_t c = 0; c < mean_.size(); ++c) {
      mean_[c] += kNew * (mean[c] - mean_[c]);
      variance_[c] += kNew * (unbiased * variance[c] - variance_[c]);
    }
  }

  const double* mean() const { return mean_.data(); }
  const double* variance() const { return variance_.data(); }

 private:
  std::vector<double> mean_, variance_;
};

}  // namespace brickwork
