#include "batch_norm/fold_batch_norm.hpp"

#include <cmath>

#include "batch_norm_problem.hpp"

namespace brickwork {

void fold_batch_norm(std::int64_t K, std::int64_t elements, const float* weights, const float* gamma, const float* beta,
                     const float* mean, const float* variance, float* folded, float* bias) {
  for (std::int64_t k = 0; k < K; ++k) {
    const double scale = gamma[k] / std::sqrt(variance[k] + BatchNormProblem::epsilon);
    bias[k] = static_cast<float>(beta[k] - mean[k] * scale);
    for (std::int64_t i = k * elements; i < (k + 1) * elements; ++i) folded[i] = static_cast<float>(weights[i] * scale);
  }
}

}  // namespace brickwork
