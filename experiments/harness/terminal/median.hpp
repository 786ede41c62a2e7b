// The median of a few samples, and the interval that holds the true one.
#pragma once
#include <optional>
#include <utility>
#include <vector>

namespace brickwork {

double median(std::vector<double> values);  // of at least one value

// The 95 % confidence interval of the median: the narrowest pair of samples of equal rank from both ends between which
// the true median lies with at least that probability, whatever the distribution. Nothing for fewer than six samples,
// as even their least and largest hold it less often.
std::optional<std::pair<double, double>> median_interval(std::vector<double> values);

}  // namespace brickwork
