// Small networks of odd sizes with every kind of layer, and random inputs for them, for tests.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "primitives/network/op/mlp_problem.hpp"
#include "primitives/network/op/network_graph.hpp"
#include "primitives/network/op/network_ops.hpp"
#include "primitives/op/test_values.hpp"

namespace brickwork {

// Between two poolings: a bottleneck with a convolution as its shortcut, which has the padding of the other convolution
// that reads the same tensor, and a bottleneck with a plain shortcut. Then two fully connected layers, the first on
// several pixels per feature. (A bias before a batch normalisation would have no gradient.)
inline NetworkGraph small_residual_network(std::int64_t N, std::int64_t H = 9, std::int64_t width = 5) {
  using enum NormEpilogue;
  const std::int64_t wide = 2 * width + 1;
  NetworkGraph b{.images = {N, 3, H, H}};
  b.add_conv("conv1", kImages, width, 3);               // 0
  b.add_norm("norm1", 0, relu);                         // 1
  b.add_pool("pool1", 1, PoolKind::max, 3, 2, 1);       // 2
  b.add_conv("a.conv1", 2, width, 3, 2);                // 3
  b.add_norm("a.norm1", 3, relu);                       // 4
  b.add_conv("a.conv2", 4, wide, 1);                    // 5
  b.add_conv("a.shortcut", 2, wide, 3, 2);              // 6
  b.add_norm("a.shortcut_norm", 6, none);               // 7
  b.add_norm("a.norm2", 5, residual_relu, 7);           // 8
  b.add_conv("b.conv1", 8, width, 1);                   // 9
  b.add_norm("b.norm1", 9, relu);                       // 10
  b.add_conv("b.conv2", 10, wide, 3);                   // 11
  b.add_norm("b.norm2", 11, residual_relu, 8);          // 12
  b.add_conv("conv2", 12, width, 1, 1, true);           // 13
  b.add_pool("pool2", 13, PoolKind::average, 3, 2, 1);  // 14
  b.add_fc("fc1", 14, 9, Activation::tanh);             // 15
  b.add_fc("fc2", 15, 4);                               // 16
  return b;
}

// Random inputs of the operation, in f64; each call gives the same ones.
inline PlainTensors random_network_inputs(const NetworkGraph& graph, const std::string& seed = "network") {
  PlainTensors in(with_dtype(network_ops::inputs(graph), DType::f64));
  TestValues values(Fill::floats, 1, seed);
  for (std::size_t i = 0; i < in.infos().size(); ++i) values.fill(in.values<double>(i));
  network_ops::settle(graph, in);
  return in;
}

}  // namespace brickwork
