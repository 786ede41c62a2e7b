// The definition of a network, by the definitions of its layers' passes, in double.
#pragma once
#include <vector>

#include "primitives/network/op/network_graph.hpp"
#include "primitives/op/plain_tensors.hpp"

namespace brickwork {

struct NetworkValues {
  double loss = 0;
  std::vector<std::vector<double>> outputs;    // of each layer, plain; the last one is the logits
  std::vector<std::vector<double>> gradients;  // in the order of parameters_of(); empty if not wanted
};

// `in` has f64 tensors: images [N][C][H][W], labels [N], and the parameters by their names.
NetworkValues define_network(const NetworkGraph&, const PlainTensors& in, bool with_gradients);

}  // namespace brickwork
