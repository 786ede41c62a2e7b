// The training of a network as a chain of oneDNN's primitives, in the layouts that its convolutions and inner products
// choose.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "baselines/onednn/onednn_chain.hpp"
#include "primitives/network/op/network_graph.hpp"
#include "primitives/network/op/network_ops.hpp"

namespace brickwork::onednn {

struct ChainedParameter {
  dnnl::memory values, gradient;  // in the same layout if steps are taken
};

// Forward: images -> logits and log probabilities. Backward: gradient of the log probabilities -> gradients of the
// parameters. Each may run any number of times.
struct NetworkChain {
  explicit NetworkChain(const Context& context) : chain(context) {}

  void run_forward() { chain.run(0, backward); }
  void run_backward() { chain.run(backward, chain.size()); }

  Chain chain;
  std::size_t backward = 0;  // index of the first backward link
  dnnl::memory images, logits, log_probabilities, dlog_probabilities;
  std::vector<ChainedParameter> parameters;    // in the order of parameters_of()
  std::map<std::string, int> implementations;  // of convolutions and inner products, with their numbers
};

// A part without backward passes has no gradients.
std::unique_ptr<NetworkChain> chain_network(const Context&, const NetworkGraph&, NetworkPart);

}  // namespace brickwork::onednn
