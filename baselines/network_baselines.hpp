// The library against which the training of networks is measured. It exists in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/network/op/mlp_problem.hpp"
#include "primitives/network/op/network_ops.hpp"
#include "primitives/network/op/residual_network.hpp"

namespace brickwork {

// oneDNN's primitives one after the other, as frameworks chain them, in the layouts that its convolutions and inner
// products like best. Gradient descent is a loop over the parameters in their layouts, out of place. If the library has
// no batch normalisation that adds a residual, one addition with the ReLU does it.
Contender<ResidualNetworkOp> onednn_resnet();
Contender<MlpOp> onednn_mlp();

// Trains any graph in this way; absent if the library is.
Result<PreparedPtr> prepare_onednn_network(const NetworkGraph&, NetworkPart, const PlainTensors& in);

}  // namespace brickwork
