#include "baselines/cudnn/cudnn_rnn_weights.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace brickwork::cudnn {
namespace {

// An LSTM's gates are i, f, g, o for us and for cuDNN; a GRU's gates are u, r, o for us and r, u, o for cuDNN.
std::int64_t gate_of_cudnn(const RnnProblem& p, std::int64_t gate) {
  constexpr std::int64_t gru[] = {1, 0, 2};
  return p.gates() == 3 ? gru[gate] : gate;
}

}  // namespace

RnnWeights::RnnWeights(const RnnProblem& p, std::span<const LinearLayer> linear) : rows_(p.K) {
  const std::int64_t G = p.gates();
  for (std::int64_t l = 0; l < p.L; ++l) {
    for (std::int64_t d = 0; d < p.D(); ++d, linear = linear.subspan(static_cast<std::size_t>(2 * G))) {
      const auto add_matrix = [&](const char* what, std::int64_t features, std::int64_t gate, std::int64_t at) {
        const std::int64_t plain = (d * features * G + gate) * p.K;
        matrices_.push_back({fmt::format("{}.{}", what, l), plain, G * p.K, at, features});
      };
      const auto add_bias = [&](std::int64_t gate, const LinearLayer& of) {
        const std::int64_t plain = (d * p.biases() + gate) * p.K;
        matrices_.push_back({fmt::format("bias.{}", l), plain, 0, of.bias.value(), 1});
      };
      for (std::int64_t gate = 0; gate < G; ++gate) {
        const auto number = static_cast<std::size_t>(gate_of_cudnn(p, gate));
        const LinearLayer& of_x = linear[number];
        add_matrix("weights_layer", p.features(l), gate, of_x.matrix);
        add_matrix("weights_iter", p.K, gate, linear[number + static_cast<std::size_t>(G)].matrix);
        add_bias(gate, of_x);
      }
      if (p.cell == RnnCell::lbr_gru) add_bias(G, linear[static_cast<std::size_t>(2 * G - 1)]);
    }
  }
}

template <class Element>
void RnnWeights::for_each(const Matrix& m, const Element& element) const {
  constexpr std::int64_t kBlock = 16;  // a cache line of the plain tensor, which is transposed
#pragma omp parallel for schedule(static)
  for (std::int64_t block = 0; block < rows_; block += kBlock) {
    for (std::int64_t c = 0; c < m.columns; ++c) {
      for (std::int64_t k = block; k < std::min(block + kBlock, rows_); ++k) {
        element(m.plain + c * m.stride + k, static_cast<std::size_t>(m.ordered + k * m.columns + c));
      }
    }
  }
}

void RnnWeights::order(const PlainTensors& plain, std::span<float> space) const {
  std::ranges::fill(space, 0.0F);
  for (const Matrix& m : matrices_) {
    const float* const from = plain.at<float>(m.name);
    for_each(m, [&](std::int64_t p, std::size_t o) { space[o] = from[p]; });
  }
}

void RnnWeights::restore(std::span<const float> space, PlainTensors& plain) const {
  for (const Matrix& m : matrices_) {
    float* const to = plain.at<float>(m.name + ".gradient");
    for_each(m, [&](std::int64_t p, std::size_t o) { to[p] = space[o]; });
  }
}

}  // namespace brickwork::cudnn
