#include "mlp/mlp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "fc_ops.hpp"
#include "testing/definition.hpp"

namespace brickwork {
namespace {

// An MLP by the definitions of its layers' passes, in double.
struct MlpByDefinition {
  MlpSizes sizes;
  std::vector<Values> weights, biases;

  std::size_t depth() const { return weights.size(); }
  FcProblem layer(std::size_t i) const { return {.N = sizes.N, .C = sizes.widths[i], .K = sizes.widths[i + 1]}; }

  // src and what each layer gives.
  std::vector<Values> forward(const Values& src) const {
    std::vector<Values> activations{src};
    for (std::size_t i = 0; i < depth(); ++i) {
      FcProblem p = layer(i);
      p.epilogue = {.bias = true, .activation = i + 1 < depth() ? Activation::relu : Activation::none};
      activations.push_back(by_definition<FcForwardOp>(p, {activations.back(), weights[i], biases[i]}));
    }
    return activations;
  }

  struct Gradients {
    std::vector<Values> dweights, dbiases;
  };
  Gradients backward(const Values& src, Values ddst) const {
    const auto activations = forward(src);
    Gradients g{.dweights = weights, .dbiases = biases};
    for (std::size_t i = depth(); i-- > 0;) {
      const FcProblem p = layer(i);
      for (std::size_t j = 0; i + 1 < depth() && j < ddst.size(); ++j) ddst[j] *= activations[i + 1][j] > 0 ? 1 : 0;
      g.dweights[i] = by_definition<FcWeightUpdateOp>(p, {activations[i], ddst});
      std::ranges::fill(g.dbiases[i], 0.0);
      for (std::size_t j = 0; j < ddst.size(); ++j) g.dbiases[i][j % g.dbiases[i].size()] += ddst[j];
      ddst = by_definition<FcBackwardDataOp>(p, {ddst, weights[i]});
    }
    return g;
  }
};

template <class Draw>
MlpByDefinition drawn_mlp(const MlpSizes& sizes, const Draw& draw) {
  MlpByDefinition mlp{.sizes = sizes, .weights = {}, .biases = {}};
  for (std::size_t i = 0; i + 1 < sizes.widths.size(); ++i) {
    mlp.weights.push_back(draw(sizes.widths[i + 1] * sizes.widths[i]));
    mlp.biases.push_back(draw(sizes.widths[i + 1]));
  }
  return mlp;
}

std::vector<float> in_float(const Values& values) { return {values.begin(), values.end()}; }
Values in_double(const std::vector<float>& values) { return {values.begin(), values.end()}; }

Mlp make_mlp(const MlpByDefinition& like, const MachineModel& machine = {.threads = 2},
             Backend backend = Backend::simd) {
  Mlp mlp = *Mlp::make(like.sizes, machine, backend);
  for (std::size_t i = 0; i < like.depth(); ++i) {
    mlp.set_parameters(i, in_float(like.weights[i]).data(), in_float(like.biases[i]).data());
  }
  return mlp;
}

Values run_forward(Mlp& mlp, const MlpByDefinition& like, const Values& src) {
  mlp.pack_src(in_float(src).data());
  mlp.forward();
  std::vector<float> dst(static_cast<std::size_t>(like.sizes.N * like.sizes.widths.back()), NAN);
  mlp.unpack_dst(dst.data());
  return in_double(dst);
}

MlpByDefinition::Gradients run_backward(Mlp& mlp, const MlpByDefinition& like, const Values& ddst) {
  mlp.pack_ddst(in_float(ddst).data());
  mlp.backward();
  MlpByDefinition::Gradients g;
  for (std::size_t i = 0; i < like.depth(); ++i) {
    std::vector<float> dweights(like.weights[i].size(), NAN), dbias(like.biases[i].size(), NAN);
    mlp.get_gradients(i, dweights.data(), dbias.data());
    g.dweights.push_back(in_double(dweights));
    g.dbiases.push_back(in_double(dbias));
  }
  return g;
}

// Small integers stay exact: weights of -1, 0 and 1, three layers at most.
Values random_signs(std::int64_t size) {
  return *rc::gen::container<Values>(static_cast<std::size_t>(size),
                                     rc::gen::map(rc::gen::inRange(-1, 2), [](int x) { return double(x); }));
}

TEST(Mlp, IsExactOnRandomNetworks) {
  EXPECT_TRUE(rc::check([] {
    const auto width = [] {
      return *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 20), rc::gen::just<std::int64_t>(64),
                             rc::gen::inRange<std::int64_t>(60, 135));
    };
    MlpSizes sizes{.N = *rc::gen::inRange(1, 20), .widths = {width()}};
    for (int layers = *rc::gen::inRange(1, 4); layers > 0; --layers) sizes.widths.push_back(width());
    const MlpByDefinition expected = drawn_mlp(sizes, random_signs);
    const Values src = random_signs(sizes.N * sizes.widths.front()), ddst = random_signs(sizes.N * sizes.widths.back());
    const MachineModel machine{.threads = *rc::gen::inRange(1, 4)};
    Mlp mlp = make_mlp(expected, machine, *rc::gen::element(Backend::simd, Backend::portable));
    RC_ASSERT(run_forward(mlp, expected, src) == expected.forward(src).back());
    run_backward(mlp, expected,
                 random_signs(sizes.N * sizes.widths.back()));  // gradients are overwritten, not added to
    const auto found = run_backward(mlp, expected, ddst), right = expected.backward(src, ddst);
    RC_ASSERT(found.dweights == right.dweights);
    RC_ASSERT(found.dbiases == right.dbiases);
  }));
}

// Random numbers of one seed, in [-1, 1).
struct Draw {
  std::mt19937 random{7};
  Values operator()(std::int64_t size) {
    Values values(static_cast<std::size_t>(size));
    for (double& x : values) x = std::ldexp(static_cast<std::int32_t>(random()) >> 8, -23);
    return values;
  }
};

// Of the function <ddst, dst>, by the definition in double.
double slope(MlpByDefinition& mlp, const Values& src, const Values& ddst, double& parameter) {
  constexpr double kStep = 1e-6;
  const double here = parameter;
  parameter = here + kStep;
  const double above = dot(ddst, mlp.forward(src).back());
  parameter = here - kStep;
  const double below = dot(ddst, mlp.forward(src).back());
  parameter = here;
  return (above - below) / (2 * kStep);
}

TEST(Mlp, GradientsAreThoseOfFiniteDifferences) {
  for (const auto& widths : {std::vector<std::int64_t>{5, 3}, {7, 65, 4}, {3, 9, 70, 6, 2}}) {
    const MlpSizes sizes{.N = 11, .widths = widths};
    Draw draw;
    MlpByDefinition network = drawn_mlp(sizes, [&](std::int64_t size) { return draw(size); });
    const Values src = draw(sizes.N * widths.front()), ddst = draw(sizes.N * widths.back());
    Mlp mlp = make_mlp(network);
    run_forward(mlp, network, src);
    const auto found = run_backward(mlp, network, ddst);
    for (std::size_t i = 0; i < network.depth(); ++i) {
      for (auto [parameters, gradients] :
           {std::pair{&network.weights[i], &found.dweights[i]}, std::pair{&network.biases[i], &found.dbiases[i]}}) {
        for (std::size_t j = 0; j < parameters->size(); j += 1 + parameters->size() / 9) {
          const double expected = slope(network, src, ddst, (*parameters)[j]);
          EXPECT_NEAR((*gradients)[j], expected, 1e-4 * std::max(1.0, std::abs(expected)));
        }
      }
    }
  }
}

TEST(Mlp, AStepGoesAgainstTheGradient) {
  const MlpSizes sizes{.N = 3, .widths = {4, 70, 5}};
  Draw draw;
  const MlpByDefinition network = drawn_mlp(sizes, [&](std::int64_t size) { return draw(size); });
  Mlp mlp = make_mlp(network);
  run_forward(mlp, network, draw(sizes.N * 4));
  const auto gradients = run_backward(mlp, network, draw(sizes.N * 5));
  mlp.step(0.5F);
  for (std::size_t i = 0; i < network.depth(); ++i) {
    std::vector<float> weights(network.weights[i].size()), bias(network.biases[i].size());
    mlp.get_parameters(i, weights.data(), bias.data());
    for (std::size_t j = 0; j < weights.size(); ++j) {
      EXPECT_NEAR(weights[j], network.weights[i][j] - 0.5 * gradients.dweights[i][j],
                  1e-6 * (1 + std::abs(weights[j])));
    }
    for (std::size_t j = 0; j < bias.size(); ++j) {
      EXPECT_NEAR(bias[j], network.biases[i][j] - 0.5 * gradients.dbiases[i][j], 1e-6 * (1 + std::abs(bias[j])));
    }
  }
}

// No linear function does: a hidden layer learns it from its squared error.
TEST(Mlp, LearnsExclusiveOr) {
  const MlpSizes sizes{.N = 4, .widths = {2, 16, 1}};
  const Values src{0, 0, 0, 1, 1, 0, 1, 1}, right{0, 1, 1, 0};
  Draw draw;
  const MlpByDefinition network = drawn_mlp(sizes, [&](std::int64_t size) { return draw(size); });
  Mlp mlp = make_mlp(network);
  const auto error = [&] {
    Values dst = run_forward(mlp, network, src);
    for (std::size_t n = 0; n < 4; ++n) dst[n] -= right[n];
    return dst;
  };
  const double before = dot(error(), error());
  for (int i = 0; i < 1000; ++i) {
    run_backward(mlp, network, error());
    mlp.step(0.05F);
  }
  EXPECT_GT(before, 0.1);
  EXPECT_LT(dot(error(), error()), 1e-3);
}

TEST(Mlp, SizesThatAreNoneAreRefused) {
  EXPECT_THROW(std::ignore = Mlp::make({.N = 1, .widths = {3}}, {}, Backend::simd), std::invalid_argument);
  EXPECT_THROW(std::ignore = Mlp::make({.N = 0, .widths = {3, 3}}, {}, Backend::simd), std::invalid_argument);
  EXPECT_THROW(std::ignore = Mlp::make({.N = 1, .widths = {3, 0, 3}}, {}, Backend::simd), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
