#include "primitives/softmax_loss/softmax_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "primitives/nest/integers.hpp"
#include "primitives/nest/league.hpp"
#include "primitives/softmax_loss/softmax_rows.hpp"

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
  constexpr std::int64_t kElements = 1 << 14;  // of a task at least, as rows may be short
  const Kokkos::DefaultHostExecutionSpace space;
  const std::int64_t rows = std::max(ceil_div(kElements, C), ceil_div(N, std::int64_t{space.concurrency()}));
  // If the gradient goes past the caches, the exponentials of this row and of the one before wait in the scratch.
  const std::int64_t scratch_bytes =
      past_caches(plan_.sweep) && dlogits != nullptr ? 2 * C * std::int64_t{sizeof(float)} : 0;
  parallel_league(space, ceil_div(N, rows), 1, scratch_bytes, [&](const auto&, std::int64_t task, void* scratch) {
    run_rows(task * rows, std::min(N, (task + 1) * rows), logits, labels, dlogits, static_cast<float*>(scratch));
  });
  return static_cast<float>(std::accumulate(losses_.begin(), losses_.end(), 0.0) / static_cast<double>(N));
}

void SoftmaxLoss::run_rows(std::int64_t first, std::int64_t end, const float* logits, const std::int32_t* labels,
                           float* dlogits, float* scratch) {
  // The exponentials of a part are summed in f32. After each part, a part of the row before is stored, so that the
  // memory works while exponentials are computed: rows of 32000 are 1.2 times as fast. Parts of half this size are
  // slower on rows of 1000.
  constexpr std::int64_t kPart = 1024;
  const std::int64_t C = problem_.C;
  struct {
    const float* e;
    float scale;
    float* dlogits = nullptr;
  } before;  // the row of a gradient that is not stored yet
  const auto store_before = [&](std::int64_t c, std::int64_t size) {
    if (before.dlogits == nullptr) return;
    scale_row(before.e + c, before.scale, before.dlogits + c, static_cast<std::size_t>(size), past_caches(plan_.sweep));
  };
  float max = row_max(logits + first * C, static_cast<std::size_t>(C));
  for (std::int64_t n = first; n < end; ++n) {
    const float* const x = logits + n * C;
    const float* const behind = n + 1 < end ? x + C : x;
    float* const to = dlogits == nullptr ? nullptr : dlogits + n * C;
    float* const e = scratch != nullptr ? scratch + n % 2 * C : to;
    double sum = 0;
    float max_behind = behind[0];
    for (std::int64_t c = 0; c < C; c += kPart) {
      const std::int64_t size = std::min(kPart, C - c);
      const RowPart part =
          row_exp(x + c, max, e == nullptr ? nullptr : e + c, static_cast<std::size_t>(size), behind + c, plan_.sweep);
      sum += part.sum;
      max_behind = std::max(max_behind, part.max_behind);
      store_before(c, size);
    }
    losses_[static_cast<std::size_t>(n)] = std::log(sum) + double{max} - double{x[labels[n]]};
    max = max_behind;
    if (to == nullptr) continue;
    e[labels[n]] = static_cast<float>(double{e[labels[n]]} - sum);
    before = {e, static_cast<float>(1 / (sum * static_cast<double>(problem_.N))), to};
  }
  store_before(0, C);
}

}  // namespace brickwork
