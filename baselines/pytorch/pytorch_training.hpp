// Training a network with PyTorch: autograd and the operators below its layers, one after the other, as a program in
// Python calls them (eager mode), but without the interpreter's time: on two cores of a Zen 4 a step of ResNet-50 on 4
// images took 0.68 s, and 0.76 s in Python; of an MLP of 3 x 1024 features on 1344 rows 0.13 s in both.
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/network/op/network_ops.hpp"

namespace brickwork::pytorch {

std::string version();

// Tensors as NetworkTrainingOp has them, of f32 or all of f64. Images, and weights of convolutions, are channels_last
// or contiguous, whichever was faster when it was prepared. A backward pass finds what pack() has left.
PreparedPtr prepare_training(const NetworkGraph&, NetworkPart, const PlainTensors& inputs, const Resources&);

template <class Problem>
Contender<NetworkTrainingOp<Problem>> network() {
  return {
      .name = "pytorch",
      .library = {.name = "PyTorch", .version = version(), .absent = {}},
      .prepare = [](const Problem& p, const PlainTensors& inputs, const Resources& resources) -> Result<PreparedPtr> {
        return prepare_training(network_graph(p), p.part, inputs, resources);
      }};
}

}  // namespace brickwork::pytorch
