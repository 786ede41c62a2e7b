#include "learning/tasks.hpp"

#include <string>

#include "mlp_problem.hpp"

namespace brickwork {
namespace {

constexpr ImageFormat kDigits{.C = 1, .H = 8, .W = 8, .classes = 10, .white = 16};

NetworkGraph digits_mlp(std::int64_t N) { return mlp_graph(N, {kDigits.pixels(), 256, 128, kDigits.classes}); }

// Twice two 3x3 convolutions, each with a batch normalisation and a ReLU, and a maximum over windows of 2x2.
NetworkGraph digits_conv(std::int64_t N) {
  NetworkGraph graph{.images = {N, kDigits.C, kDigits.H, kDigits.W}, .layers = {}};
  const auto add = [&](const auto& problem) {
    graph.layers.push_back({problem, static_cast<int>(graph.layers.size()) - 1});
  };
  std::int64_t C = kDigits.C, H = kDigits.H;
  for (const std::int64_t K : {32, 64}) {
    for (const char* part : {"a", "b"}) {
      const std::string place = std::to_string(K) + part;
      add(ConvProblem{
          .name = "conv" + place, .N = N, .C = C, .K = K, .H = H, .W = H, .R = 3, .S = 3, .pad_h = 1, .pad_w = 1});
      add(BatchNormProblem{.name = "norm" + place, .N = N, .C = K, .H = H, .W = H, .epilogue = NormEpilogue::relu});
      C = K;
    }
    add(PoolProblem{.name = "pool" + std::to_string(K),
                    .N = N,
                    .C = C,
                    .H = H,
                    .W = H,
                    .R = 2,
                    .S = 2,
                    .stride_h = 2,
                    .stride_w = 2});
    H /= 2;
  }
  add(FcProblem{.name = "fc", .N = N, .C = C * H * H, .K = kDigits.classes, .epilogue = {.bias = true}});
  return graph;
}

constexpr LearningTask kTasks[] = {
    {.name = "digits-mlp",
     .about = "an MLP of widths 64, 256, 128, 10 on scikit-learn's digits",
     .format = kDigits,
     .graph = digits_mlp,
     .minibatch = 32,
     .schedule = {.epochs = 40, .rate = 0.1F, .momentum = 0.9F, .decay = 5e-4F, .shift = 1}},
    {.name = "digits-conv",
     .about = "four 3x3 convolutions with batch normalisation on scikit-learn's digits",
     .format = kDigits,
     .graph = digits_conv,
     .minibatch = 32,
     .schedule = {.epochs = 20, .rate = 0.05F, .momentum = 0.9F, .decay = 5e-4F, .shift = 1}},
};

}  // namespace

std::span<const LearningTask> learning_tasks() { return kTasks; }

}  // namespace brickwork
