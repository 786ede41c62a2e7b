#include "softmax_loss/softmax_loss.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "integers.hpp"
#include "league.hpp"
#include "softmax_loss/softmax_rows.hpp"

namespace brickwork {

SoftmaxLoss::SoftmaxLoss(const SoftmaxLossProblem& p, const ElementwisePlan& plan)
    : problem_(p), plan_(plan), losses_(static_cast<std::size_t>(p.N)) {}

float SoftmaxLoss::run(const float* logits, const std::int32_t* labels, float* dlogits) {
  const std::int64_t N = problem_.N, C = problem_.C;
  for (std::int64_t n = 0; n < N; ++n) {
    if (labels[n] < 0 || labels[n] >= C) {
      throw std::invalid_argument(fmt::format("label {} of row {}: it must be from 0 to {}", labels[n], n, C - 1));
    }
  }
  constexpr std::int64_t kElements = 1 << 14;  // of a task at least, for rows may be short
  const std::int64_t rows = ceil_div(kElements, C);
  // Of what goes past the caches the exponentials wait in the scratch.
  const std::int64_t scratch_bytes = plan_.stream && dlogits != nullptr ? C * std::int64_t{sizeof(float)} : 0;
  parallel_league(Kokkos::DefaultHostExecutionSpace(), ceil_div(N, rows), 1, scratch_bytes,
                  [&](const auto&, std::int64_t task, void* scratch) {
                    for (std::int64_t n = task * rows; n < std::min(N, (task + 1) * rows); ++n) {
                      run_row(n, logits + n * C, labels[n], dlogits == nullptr ? nullptr : dlogits + n * C,
                              static_cast<float*>(scratch));
                    }
                  });
  return static_cast<float>(std::accumulate(losses_.begin(), losses_.end(), 0.0) / static_cast<double>(N));
}

void SoftmaxLoss::run_row(std::int64_t n, const float* logits, std::int64_t label, float* dlogits, float* scratch) {
  const auto C = static_cast<std::size_t>(problem_.C);
  const float max = row_max(logits, C);
  float* const e = scratch != nullptr ? scratch : dlogits;
  const double sum = row_exp(logits, max, e, C);
  losses_[static_cast<std::size_t>(n)] = std::log(sum) + double{max} - double{logits[label]};
  if (dlogits == nullptr) return;
  e[label] = static_cast<float>(double{e[label]} - sum);
  scale_row(e, static_cast<float>(1 / (sum * static_cast<double>(problem_.N))), dlogits, C, plan_.stream);
}

}  // namespace brickwork
