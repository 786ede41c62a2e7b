#include "learning/tasks.hpp"

#include <string>

#include "graph_builder.hpp"
#include "mlp_problem.hpp"

namespace brickwork {
namespace {

constexpr ImageFormat kDigits{.C = 1, .H = 8, .W = 8, .classes = 10, .white = 16};

NetworkGraph digits_mlp(std::int64_t N) { return mlp_graph(N, {kDigits.pixels(), 256, 128, kDigits.classes}); }

// Twice two 3x3 convolutions, each with a batch normalisation and a ReLU, and a maximum over windows of 2x2.
NetworkGraph digits_conv(std::int64_t N) {
  GraphBuilder b({N, kDigits.C, kDigits.H, kDigits.W});
  int x = kImages;
  for (const std::int64_t K : {32, 64}) {
    for (const char* part : {"a", "b"}) {
      const std::string place = std::to_string(K) + part;
      x = b.conv("conv" + place, x, K, 3);
      x = b.norm("norm" + place, x, NormEpilogue::relu);
    }
    x = b.pool("pool" + std::to_string(K), x, PoolKind::max, 2, 2);
  }
  b.fc("fc", x, kDigits.classes);
  return b.take();
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
