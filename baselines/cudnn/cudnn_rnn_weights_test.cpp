#include "baselines/cudnn/cudnn_rnn_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "primitives/op/test_data.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork::cudnn {
namespace {

using Values = std::vector<double>;

// A space as cuDNN might lay it out: biases after the matrices, and gaps between all of them.
struct Space {
  explicit Space(const RnnProblem& p) : problem(p) {
    std::int64_t size = 0;
    const auto place = [&](std::int64_t elements) { return std::exchange(size, size + elements + 3); };
    for (std::int64_t way = 0; way < p.L * p.D(); ++way) {
      for (std::int64_t number = 0; number < 2 * p.gates(); ++number) {
        linear.push_back({place(p.K * (number < p.gates() ? p.features(way / p.D()) : p.K)), std::nullopt});
      }
    }
    for (std::size_t i = 0; i < linear.size(); ++i) {
      const bool of_x = static_cast<std::int64_t>(i) / p.gates() % 2 == 0;
      if (of_x || p.cell == RnnCell::lbr_gru) linear[i].bias = place(p.K);
    }
    values.assign(static_cast<std::size_t>(size), NAN);
  }

  RnnProblem problem;
  std::vector<LinearLayer> linear;
  std::vector<float> values;
};

// The cells of cuDNN's documentation, which numbers its linear layers: for an LSTM 0 to 3 multiply x for i, f, g, o;
// for a GRU 0 to 2 multiply x for r, z and the new h. The same for h follow.
class CellOfCudnn {
 public:
  CellOfCudnn(const Space& space, std::int64_t way)
      : p_(space.problem), space_(space), first_(static_cast<std::size_t>(way * 2 * p_.gates())) {}

  void step(const Values& x, Values& h, Values& c) const {
    const auto G = static_cast<std::size_t>(p_.gates());
    const Values before = h;
    const auto sum = [&](std::size_t number, std::size_t k) {
      return linear(number, x, k) + linear(G + number, before, k);
    };
    for (std::size_t k = 0; k < h.size(); ++k) {
      if (p_.cell == RnnCell::lstm) {
        c[k] = sigmoid(sum(1, k)) * c[k] + sigmoid(sum(0, k)) * std::tanh(sum(2, k));
        h[k] = sigmoid(sum(3, k)) * std::tanh(c[k]);
      } else if (p_.cell == RnnCell::lbr_gru) {
        const double r = sigmoid(sum(0, k)), z = sigmoid(sum(1, k));
        const double new_h = std::tanh(linear(2, x, k) + r * linear(5, before, k));
        h[k] = (1 - z) * new_h + z * before[k];
      } else {
        h[k] = p_.cell == RnnCell::rnn_tanh ? std::tanh(sum(0, k)) : std::max(0.0, sum(0, k));
      }
    }
  }

 private:
  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

  double at(std::int64_t i) const { return static_cast<double>(space_.values.at(static_cast<std::size_t>(i))); }

  double linear(std::size_t number, const Values& in, std::size_t k) const {
    const LinearLayer& layer = space_.linear[first_ + number];
    double sum = layer.bias ? at(*layer.bias + static_cast<std::int64_t>(k)) : 0;
    for (std::size_t c = 0; c < in.size(); ++c) {
      sum += at(layer.matrix + static_cast<std::int64_t>(k * in.size() + c)) * in[c];
    }
    return sum;
  }

  const RnnProblem& p_;
  const Space& space_;
  std::size_t first_;
};

// y [T][D * K] of one sequence.
Values y_of_cudnn(const Space& space, const PlainTensors& in) {
  const RnnProblem& p = space.problem;
  const auto states = [&](const char* name, std::int64_t way) {
    const float* const from = in.at<float>(name);
    return from == nullptr ? Values{} : Values(from + way * p.K, from + (way + 1) * p.K);
  };
  Values x(in.at<float>("x"), in.at<float>("x") + p.T * p.C);
  for (std::int64_t l = 0; l < p.L; ++l) {
    Values y(static_cast<std::size_t>(p.T * p.D() * p.K));
    for (std::int64_t d = 0; d < p.D(); ++d) {
      const std::int64_t way = l * p.D() + d;
      const CellOfCudnn cell(space, way);
      Values h = states("h0", way), c = states("c0", way);
      for (std::int64_t i = 0; i < p.T; ++i) {
        const std::int64_t t = p.reversed(d) ? p.T - 1 - i : i;
        const auto from = x.begin() + t * p.features(l);
        cell.step(Values(from, from + p.features(l)), h, c);
        std::ranges::copy(h, y.begin() + (t * p.D() + d) * p.K);
      }
    }
    x = y;
  }
  return x;
}

// The sum of all differences between cuDNN's cells with these weights and our definition.
double difference(Space space, std::span<const LinearLayer> linear) {
  const RnnProblem& p = space.problem;
  const TestData data = make_checkable_test_data<RnnForwardOp>(p, Fill::floats);
  RnnWeights(p, linear).order(data.inputs, space.values);
  double sum = 0;
  const double* expected = data.expected.at<double>("y");
  for (const double value : y_of_cudnn(space, data.inputs)) sum += std::abs(value - *expected++);
  return sum;
}

const char* const kSizes[] = {"T3 N1 C5 K3 ", "T3 N1 C4 K19 L2 bidirectional "};

TEST(CudnnRnnWeights, GiveOurResultInCudnnsCells) {
  for (const std::string cell : {"lstm", "lbr-gru", "rnn-tanh", "rnn-relu"}) {
    for (const std::string sizes : kSizes) {
      const Space space(parse_problem<RnnProblem>(sizes + cell));
      EXPECT_LT(difference(space, space.linear), 1e-5) << sizes << cell;
    }
  }
}

TEST(CudnnRnnWeights, GiveAnotherResultIfTwoGatesAreSwapped) {
  for (const char* text : {"T3 N1 C5 K3 lstm", "T3 N1 C5 K3 lbr-gru"}) {
    const Space space(parse_problem<RnnProblem>(text));
    auto swapped = space.linear;
    std::swap(swapped[0], swapped[1]);
    EXPECT_GT(difference(space, swapped), 1e-3) << text;
  }
}

// Each weight has a place of its own, and all other places are 0.
TEST(CudnnRnnWeights, ComeBackAsGradients) {
  for (const std::string cell : {"lstm", "lbr-gru", "rnn-tanh"}) {
    for (const std::string sizes : kSizes) {
      Space space(parse_problem<RnnProblem>(sizes + cell));
      const RnnProblem& p = space.problem;
      PlainTensors weights(rnn_ops::weights(p)), gradients(rnn_ops::weight_gradients(p));
      float next = 1;
      for (std::size_t i = 0; i < weights.infos().size(); ++i) {
        for (float& value : weights.values<float>(i)) value = next++;
      }
      const RnnWeights order(p, space.linear);
      order.order(weights, space.values);
      EXPECT_EQ(std::accumulate(space.values.begin(), space.values.end(), 0.0), 0.5 * (next - 1) * next);
      order.restore(space.values, gradients);
      for (std::size_t i = 0; i < weights.infos().size(); ++i) {
        EXPECT_TRUE(std::ranges::equal(weights.values<float>(i), gradients.values<float>(i)))
            << gradients.infos()[i].name;
      }
    }
  }
}

}  // namespace
}  // namespace brickwork::cudnn
