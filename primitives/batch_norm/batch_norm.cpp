#include "primitives/batch_norm/batch_norm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "primitives/batch_norm/batch_norm_rows.hpp"
#include "primitives/nest/integers.hpp"
#include "primitives/nest/league.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kChunkBytes = 64 << 10;  // a small part of L2, and many tasks even for one image
constexpr int kSums = 3, kTerms = 4;

// Splits a value into an f32, `high`, and the rest, `low`. x - high is exact if x is an f32 close to the value; the
// rest, times the factor of (x - high), goes into the offset.
struct HighLow {
  explicit HighLow(double value)
      : high(static_cast<float>(value)), low(std::isfinite(high) ? value - static_cast<double>(high) : 0) {}

  // With an infinite factor, (x - high) times it is infinite already.
  double low_times(double factor) const { return std::isfinite(factor) ? low * factor : 0; }

  float high;
  double low;
};

double inverse_deviation(double variance) { return 1 / std::sqrt(variance + BatchNormProblem::epsilon); }

}  // namespace

struct BatchNorm::Group {
  std::int64_t first, end;
  bool by_thread;  // one thread does it alone

  // Each thread has its share of the tasks, the same share in every call.
  template <class Task>
  void run(std::int64_t tasks, Order order, const Task& task) const {
    const auto share = [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) task(order == Order::upwards ? i : from + to - 1 - i);
    };
    if (by_thread) return share(0, tasks);
    const std::int64_t shares = std::min<std::int64_t>(tasks, Kokkos::DefaultHostExecutionSpace().concurrency());
    for_each_on_host(shares, [&](std::int64_t i) { share(tasks * i / shares, tasks * (i + 1) / shares); });
  }
};

struct BatchNorm::Chunk {
  std::int64_t n, cb, h;
  PixelRows pixels;
  float* sums[kSums];
  const float* terms[kTerms];

  template <class T>
  Rows<T> of(const BlockedTensor<T>& tensor) const {
    if (tensor.data == nullptr) return {};
    const auto& layout = tensor.layout;
    return {tensor.row(n, cb, h), layout.pixel(1, 0, 0, 0) - layout.pixel(0, 0, 0, 0), tensor.next_row()};
  }
  // The mask is [n][cb][h][w][bytes of a pixel].
  template <class T>
  Rows<T> of_mask(T* mask, const BatchNormProblem& p) const {
    if (mask == nullptr) return {};
    const std::int64_t next = p.W * mask_bytes_of_pixel(pixels.bc);
    const std::int64_t next_image = ceil_div(p.C, pixels.bc) * p.H * next;
    return {mask + n * next_image + (cb * p.H + h) * next, next_image, next};
  }
};

BatchNorm::BatchNorm(const BatchNormProblem& p, const BatchNormPlan& plan) : problem_(p), plan_(plan) {
  if (plan.bc < 1 || plan.bc > p.C || plan.blocks < 1) {
    throw std::invalid_argument(fmt::format("plan '{}' does not fit {}: bc must be from 1 to C = {}, blocks at least 1",
                                            to_string(plan), to_string(p), p.C));
  }
  Cb_ = ceil_div(p.C, plan.bc);
  const std::int64_t row_bytes = p.W * plan.bc * static_cast<std::int64_t>(sizeof(float));
  rows_ = equal_block(p.H, clamp(kChunkBytes / row_bytes, 1, p.H));
  images_ = equal_block(p.N, rows_ < p.H ? 1 : clamp(kChunkBytes / (p.H * row_bytes), 1, p.N));
  sums_ = AlignedBuffer<float>(static_cast<std::size_t>(Cb_ * chunks() * kSums * plan.bc));
  terms_ = AlignedBuffer<float>(static_cast<std::size_t>(kTerms * Cb_ * plan.bc));
}

std::int64_t BatchNorm::mask_bytes() const {
  constexpr std::int64_t kReadable = 7;  // after the last byte
  return problem_.N * Cb_ * problem_.H * problem_.W * mask_bytes_of_pixel(plan_.bc) + kReadable;
}

void BatchNorm::forward(const BlockedInput& src, const float* gamma, const float* beta, const BlockedInput& residual,
                        const BlockedOutput& dst, double* mean, double* variance, std::uint8_t* mask) {
  const auto all = static_cast<double>(problem_.values());
  check(src, dst);
  for_each_group([&](const Group& group) {
    for_each_chunk(group, Order::upwards, [&](const Chunk& chunk) {
      row_statistics(chunk.pixels, chunk.of(src), {chunk.sums[0], chunk.sums[1], chunk.sums[2]});
    });
    for_each_block(group, [&](std::int64_t cb, std::int64_t channels) {
      std::vector<double> m(static_cast<std::size_t>(channels)), v(m.size());
      add_chunks(cb, [&](std::size_t j, double values, double about, double deviation, double) {
        m[j] += values * about + deviation;
      });
      for (double& x : m) x /= all;  // 1 / all is rounded: a product with it gives equal values far from 0 another mean
      add_chunks(cb, [&](std::size_t j, double values, double about, double deviation, double square) {
        const double shift = about - m[j];  // makes the sum of squares about `about` one about m[j]
        v[j] += square + shift * (2 * deviation + values * shift);
      });
      for (std::size_t j = 0; j < m.size(); ++j) {
        const std::int64_t c = cb * plan_.bc + static_cast<std::int64_t>(j);
        mean[c] = kOffUnit * m[j];
        variance[c] = v[j] < 0 ? 0 : kOffUnit * kOffUnit / all * v[j];
        set_normalise(c, mean[c], variance[c], gamma[c], beta[c]);
      }
    });
    normalise(group, Order::downwards, src, residual, dst, problem_.relu() ? mask : nullptr);
  });
}

void BatchNorm::infer(const BlockedInput& src, const float* gamma, const float* beta, const double* mean,
                      const double* variance, const BlockedInput& residual, const BlockedOutput& dst) {
  check(src, dst);
  for (std::int64_t c = 0; c < problem_.C; ++c) set_normalise(c, mean[c], variance[c], gamma[c], beta[c]);
  normalise({0, Cb_, false}, Order::upwards, src, residual, dst, nullptr);
}

void BatchNorm::set_normalise(std::int64_t c, double mean, double variance, float gamma, float beta) {
  const HighLow parts(mean);
  const double scale = gamma * inverse_deviation(variance);
  term(0, c) = parts.high;
  term(1, c) = static_cast<float>(scale);
  term(2, c) = static_cast<float>(beta - parts.low_times(scale));
}

void BatchNorm::normalise(const Group& group, Order order, const BlockedInput& src, const BlockedInput& residual,
                          const BlockedOutput& dst, std::uint8_t* mask) {
  const BlockedInput added = problem_.residual() ? residual : BlockedInput{};
  if (problem_.residual()) check(residual);
  for_each_chunk(group, order, [&](const Chunk& chunk) {
    normalise_rows(chunk.pixels, chunk.of(src), chunk.of(added), chunk.of(dst), chunk.of_mask(mask, problem_),
                   {.mean = chunk.terms[0], .scale = chunk.terms[1], .shift = chunk.terms[2], .relu = problem_.relu()});
  });
}

void BatchNorm::backward(const BlockedInput& src, const BlockedInput& ddst, const std::uint8_t* mask,
                         const float* gamma, const double* mean, const double* variance, const BlockedOutput& dsrc,
                         float* dgamma, float* dbeta, const BlockedOutput& dresidual) {
  if (!problem_.relu()) mask = nullptr;
  if (problem_.relu() && mask == nullptr) throw std::logic_error("a ReLU's gradient needs forward's mask");
  const BlockedOutput passed = problem_.residual() ? dresidual : BlockedOutput{};
  check(src, ddst, dsrc);
  if (problem_.residual()) check(dresidual);
  const double share = 1 / static_cast<double>(problem_.values());
  for (std::int64_t c = 0; c < problem_.C; ++c) term(0, c) = HighLow(mean[c] / kOffUnit).high;
  for_each_group([&](const Group& group) {
    for_each_chunk(group, Order::upwards, [&](const Chunk& chunk) {
      gradient_sums(chunk.pixels, chunk.of(src), chunk.of(ddst), chunk.of_mask(mask, problem_), chunk.terms[0],
                    chunk.sums[0], chunk.sums[1]);
    });
    for_each_block(group, [&](std::int64_t cb, std::int64_t channels) {
      std::vector<double> d(static_cast<std::size_t>(channels)), dx(d.size());
      add_chunks(cb, [&](std::size_t j, double, double sum_d, double sum_dx, double) {
        d[j] += sum_d;
        dx[j] += sum_dx;
      });
      for (std::size_t j = 0; j < d.size(); ++j) {
        const std::int64_t c = cb * plan_.bc + static_cast<std::int64_t>(j);
        const double inverse = inverse_deviation(variance[c]), scale = gamma[c] * inverse;
        const HighLow parts(mean[c] / kOffUnit);
        const double gradient = (dx[j] - parts.low_times(d[j])) * kOffUnit * inverse,
                     slope = share * gradient * kOffUnit * inverse;
        dgamma[c] = static_cast<float>(gradient);
        dbeta[c] = static_cast<float>(d[j]);
        term(1, c) = static_cast<float>(scale);
        term(2, c) = static_cast<float>(slope);
        term(3, c) = static_cast<float>(share * d[j] - parts.low_times(slope));
      }
    });
    for_each_chunk(group, Order::downwards, [&](const Chunk& chunk) {
      gradient_rows(
          chunk.pixels, chunk.of(src), chunk.of(ddst), chunk.of_mask(mask, problem_), chunk.of(dsrc), chunk.of(passed),
          {.mean = chunk.terms[0], .scale = chunk.terms[1], .slope = chunk.terms[2], .offset = chunk.terms[3]});
    });
  });
}

template <class Pass>
void BatchNorm::for_each_group(const Pass& pass) const {
  const std::int64_t groups = ceil_div(Cb_, plan_.blocks);
  const auto group = [&](std::int64_t i) {
    pass(Group{i * plan_.blocks, std::min((i + 1) * plan_.blocks, Cb_), plan_.by_thread});
  };
  if (plan_.by_thread) return for_each_on_host(groups, group);
  for (std::int64_t i = 0; i < groups; ++i) group(i);
}

std::int64_t BatchNorm::chunks() const { return ceil_div(problem_.N, images_) * ceil_div(problem_.H, rows_); }

BatchNorm::Chunk BatchNorm::chunk_at(std::int64_t cb, std::int64_t chunk) {
  const std::int64_t in_image = ceil_div(problem_.H, rows_), n = chunk / in_image * images_,
                     h = chunk % in_image * rows_;
  Chunk c{.n = n,
          .cb = cb,
          .h = h,
          .pixels = {std::min(images_, problem_.N - n), std::min(rows_, problem_.H - h), problem_.W, plan_.bc,
                     plan_.sweep}};
  float* const sums = sums_.data() + (cb * chunks() + chunk) * kSums * plan_.bc;
  for (int which = 0; which < kSums; ++which) c.sums[which] = sums + which * plan_.bc;
  for (int which = 0; which < kTerms; ++which) c.terms[which] = &term(which, cb * plan_.bc);
  return c;
}

// In the order of the tensors or against it. A chunk is on the same thread in every sweep.
template <class Sweep>
void BatchNorm::for_each_chunk(const Group& group, Order order, const Sweep& sweep) {
  const std::int64_t in_image = ceil_div(problem_.H, rows_), blocks = group.end - group.first;
  group.run(blocks * chunks(), order, [&](std::int64_t task) {
    const std::int64_t cb = group.first + task / in_image % blocks;
    sweep(chunk_at(cb, task / in_image / blocks * in_image + task % in_image));
  });
}

// finish(cb, number of its channels without padding)
template <class Finish>
void BatchNorm::for_each_block(const Group& group, const Finish& finish) const {
  group.run(group.end - group.first, Order::upwards, [&](std::int64_t task) {
    const std::int64_t cb = group.first + task;
    finish(cb, std::min(plan_.bc, problem_.C - cb * plan_.bc));
  });
}

// add(channel, number of values, the chunk's sums) for the chunks of a block, in order.
template <class Add>
void BatchNorm::add_chunks(std::int64_t cb, const Add& add) {
  const std::int64_t channels = std::min(plan_.bc, problem_.C - cb * plan_.bc);
  for (std::int64_t i = 0; i < chunks(); ++i) {
    const Chunk chunk = chunk_at(cb, i);
    const double values = static_cast<double>(chunk.pixels.images * chunk.pixels.rows * chunk.pixels.pixels);
    for (std::int64_t j = 0; j < channels; ++j)
      add(static_cast<std::size_t>(j), values, chunk.sums[0][j], chunk.sums[1][j], chunk.sums[2][j]);
  }
}

template <class... T>
void BatchNorm::check(const BlockedTensor<T>&... tensors) const {
  (tensors.expect(problem_.N, problem_.C, problem_.H, problem_.W, plan_.bc), ...);
}

}  // namespace brickwork
