// Networks of a few odd layers, with all that a network may have, and random values for them.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mlp_problem.hpp"
#include "network_graph.hpp"
#include "network_ops.hpp"
#include "test_values.hpp"

namespace brickwork {

// A 3x3 convolution with a bias and its pooling, and a bottleneck whose shortcut is a convolution, and one whose is
// not; then rows, of more than one pixel a feature, for two fully connected layers.
inline NetworkGraph small_residual_network(std::int64_t N, std::int64_t H = 9, std::int64_t width = 5) {
  const std::int64_t half = (H + 1) / 2, quarter = (half + 1) / 2, rows = (quarter + 1) / 2;
  const auto conv = [&](const char* name, std::int64_t C, std::int64_t K, std::int64_t size, std::int64_t kernel,
                        std::int64_t stride, bool bias = false) {
    return ConvProblem{.name = name,
                       .N = N,
                       .C = C,
                       .K = K,
                       .H = size,
                       .W = size,
                       .R = kernel,
                       .S = kernel,
                       .stride_h = stride,
                       .stride_w = stride,
                       .pad_h = kernel / 2,
                       .pad_w = kernel / 2,
                       .epilogue = {.bias = bias}};
  };
  const auto norm = [&](const char* name, std::int64_t C, std::int64_t size, NormEpilogue epilogue) {
    return BatchNormProblem{.name = name, .N = N, .C = C, .H = size, .W = size, .epilogue = epilogue};
  };
  const auto pool = [&](const char* name, std::int64_t C, std::int64_t size, PoolKind kind) {
    return PoolProblem{.name = name,
                       .N = N,
                       .C = C,
                       .H = size,
                       .W = size,
                       .R = 3,
                       .S = 3,
                       .stride_h = 2,
                       .stride_w = 2,
                       .pad_h = 1,
                       .pad_w = 1,
                       .kind = kind};
  };
  const std::int64_t wide = 2 * width + 1;
  using enum NormEpilogue;
  NetworkGraph g{.images = {N, 3, H, H}, .layers = {}};
  g.layers.push_back({conv("conv1", 3, width, H, 3, 1), kImages});             // 0
  g.layers.push_back({norm("norm1", width, H, relu), 0});                      // 1
  g.layers.push_back({pool("pool1", width, H, PoolKind::max), 1});             // 2
  g.layers.push_back({conv("a.conv1", width, width, half, 3, 2), 2});          // 3
  g.layers.push_back({norm("a.norm1", width, quarter, relu), 3});              // 4
  g.layers.push_back({conv("a.conv2", width, wide, quarter, 1, 1), 4});        // 5
  g.layers.push_back({conv("a.shortcut", width, wide, half, 3, 2), 2});        // 6: pads as 3 does
  g.layers.push_back({norm("a.shortcut_norm", wide, quarter, none), 6});       // 7
  g.layers.push_back({norm("a.norm2", wide, quarter, residual_relu), 5, 7});   // 8
  g.layers.push_back({conv("b.conv1", wide, width, quarter, 1, 1), 8});        // 9
  g.layers.push_back({norm("b.norm1", width, quarter, relu), 9});              // 10
  g.layers.push_back({conv("b.conv2", width, wide, quarter, 3, 1), 10});       // 11
  g.layers.push_back({norm("b.norm2", wide, quarter, residual_relu), 11, 8});  // 12
  g.layers.push_back({conv("conv2", wide, width, quarter, 1, 1, true), 12});   // 13
  g.layers.push_back({pool("pool2", width, quarter, PoolKind::average), 13});  // 14
  const Epilogue hidden{.bias = true, .activation = Activation::tanh};
  g.layers.push_back(
      {FcProblem{.name = "fc1", .N = N, .C = width * rows * rows, .K = 9, .epilogue = hidden}, 14});       // 15
  g.layers.push_back({FcProblem{.name = "fc2", .N = N, .C = 9, .K = 4, .epilogue = {.bias = true}}, 15});  // 16
  return g;
}

// What the operation is tried on, in f64; the same in each call.
inline PlainTensors random_network_inputs(const NetworkGraph& graph, const std::string& seed = "network") {
  PlainTensors in(with_dtype(network_ops::inputs(graph), DType::f64));
  TestValues values(Fill::floats, 1, seed);
  for (std::size_t i = 0; i < in.infos().size(); ++i) values.fill(in.values<double>(i));
  network_ops::settle(graph, in);
  return in;
}

}  // namespace brickwork
