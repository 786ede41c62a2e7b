// The library that training networks is measured against, there in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/network/op/mlp_problem.hpp"
#include "primitives/network/op/network_ops.hpp"
#include "primitives/network/op/residual_network.hpp"

namespace brickwork {

// Its primitives one after the other, as frameworks chain them, in the layouts that its convolutions and inner products
// like best; gradient descent is a loop over the parameters as they lie, out of place. Where it has no batch
// normalisation that adds a residual, one addition with the ReLU does.
Contender<ResidualNetworkOp> onednn_resnet();
Contender<MlpOp> onednn_mlp();

// The same of any graph; absent where the library is.
Result<PreparedPtr> prepare_onednn_network(const NetworkGraph&, NetworkPart, const PlainTensors& in);

}  // namespace brickwork
