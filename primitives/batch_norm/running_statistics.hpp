// What a network's inference normalises by: a moving average of the statistics of the minibatches it was trained on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickwork {

// Of each channel, in f64: of f32 averages far from zero small steps would be rounded away. Before the first minibatch
// means are 0 and variances 1.
class RunningStatistics {
 public:
  explicit RunningStatistics(std::int64_t channels)
      : mean_(static_cast<std::size_t>(channels)), variance_(mean_.size(), 1.0) {}

  // A minibatch's mean and biased variance, as BatchNorm::forward leaves them, out of so many values of a channel. The
  // average is one of unbiased variances; that of a single value, which has none, counts as 0.
  void add(const double* mean, const double* variance, std::int64_t values) {
    constexpr double kNew = 0.1;  // a minibatch's share, as most frameworks have it
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
