#include "primitives/rnn/op/rnn_cells.hpp"

#include <algorithm>

#include "primitives/op/on_threads.hpp"

namespace brickwork::rnn_cells {
namespace {

constexpr std::int64_t kColumns = 128;  // columns of the gates per task

}  // namespace

void Weights::product(const double* rows, std::int64_t length, const double* weights, std::int64_t first,
                      std::int64_t count, Values& gate) const {
  const std::int64_t end = (first + count) * K, begin = first * K;
  on_threads((end - begin + kColumns - 1) / kColumns, [&](std::int64_t task) {
    const std::int64_t from = begin + task * kColumns, to = std::min(end, from + kColumns);
    for (std::int64_t i = 0; i < length; ++i) {
      for (std::int64_t n = 0; n < N; ++n) {
        const double x = rows[n * length + i];
        for (std::int64_t j = from; j < to; ++j)
          gate[static_cast<std::size_t>(n * G * K + j)] += x * weights[i * G * K + j];
      }
    }
  });
}

void Weights::transposed_product(const Values& gate, std::int64_t first, std::int64_t count, const double* weights,
                                 std::int64_t length, double* rows) const {
  on_threads(length, [&](std::int64_t i) {
    for (std::int64_t n = 0; n < N; ++n) {
      double sum = 0;
      for (std::int64_t j = first * K; j < (first + count) * K; ++j) {
        sum += gate[static_cast<std::size_t>(n * G * K + j)] * weights[i * G * K + j];
      }
      rows[n * length + i] += sum;
    }
  });
}

void Weights::outer_product(const double* rows, std::int64_t length, const Values& gate, std::int64_t first,
                            std::int64_t count, double* weights) const {
  on_threads(length, [&](std::int64_t i) {
    for (std::int64_t n = 0; n < N; ++n) {
      const double x = rows[n * length + i];
      for (std::int64_t j = first * K; j < (first + count) * K; ++j) {
        weights[i * G * K + j] += x * gate[static_cast<std::size_t>(n * G * K + j)];
      }
    }
  });
}

void Weights::add_bias(Values& gate) const {
  for (std::int64_t n = 0; n < N; ++n)
    for (std::int64_t j = 0; j < G * K; ++j) gate[static_cast<std::size_t>(n * G * K + j)] += bias_[j];
}

void Weights::add_bias_gradient(const Values& dgate, Gradient& d) const {
  for (std::int64_t n = 0; n < N; ++n)
    for (std::int64_t j = 0; j < G * K; ++j) d.bias[j] += dgate[static_cast<std::size_t>(n * G * K + j)];
}

}  // namespace brickwork::rnn_cells
