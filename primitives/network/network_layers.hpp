// The passes of a network's layers: each is a driver that runs on tensors placed by the network.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include "kernels/base/result.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/network/op/network_graph.hpp"
#include "primitives/planning/machine_model.hpp"
#include "primitives/tensors/blocked_tensor.hpp"

namespace brickwork {

enum class ConvAlgorithm {
  direct,
  winograd,  // where it takes less time (conv_winograd_plan.hpp), elsewhere direct
};

// How all layers are made.
struct NetworkBrick {
  MachineModel machine;
  Backend backend = Backend::simd;
  Isa isa = Isa::best;
  SimdTuning tuning;
  ConvAlgorithm algorithm = ConvAlgorithm::direct;
};

// A tensor is null if the layer does not have it, or if its gradient is not wanted.
struct LayerTensors {
  BlockedInput src, residual;
  BlockedOutput dst;
  BlockedInput ddst;
  BlockedInput dsrc_before;  // src's gradient so far, from other layers, to which this layer's is added
  BlockedOutput dsrc, dresidual;
};

// Blocked weights and bias, or gamma and beta.
struct LayerParameters {
  const float *weights = nullptr, *bias = nullptr;
  float *dweights = nullptr, *dbias = nullptr;
};

class LayerPasses {
 public:
  virtual ~LayerPasses() = default;

  void bind(const LayerTensors& tensors) { t_ = tensors; }
  void bind(const LayerParameters& parameters) { p_ = parameters; }

  // The columns of zeros that it needs beside the rows of src and of dst's gradient; negative: it takes any number.
  virtual std::int64_t src_pad() const { return -1; }
  virtual std::int64_t ddst_pad() const { return -1; }

  // The number of floats of a parameter, and the conversion from and to its plain form.
  virtual std::int64_t size_of(NetworkParameter::Role) const { return 0; }
  virtual void pack(NetworkParameter::Role role, const float* plain, float* blocked) const {
    std::copy_n(plain, size_of(role), blocked);
  }
  virtual void unpack(NetworkParameter::Role role, const float* blocked, float* plain) const {
    std::copy_n(blocked, size_of(role), plain);
  }

  virtual std::string_view isa() const { return {}; }  // of its bricks

  virtual void forward() = 0;
  virtual void infer() { forward(); }
  virtual void backward() = 0;

 protected:
  LayerTensors t_;
  LayerParameters p_;
};
using LayerPassesPtr = std::unique_ptr<LayerPasses>;

// Unsupported or absent if the backend has no brick for it.
Result<LayerPassesPtr> make_layer_passes(const NetworkGraph&, std::size_t layer, const NetworkBrick&);

// Converts images [N][C][H][W] to rows of C * H * W features for a fully connected layer, and gradients back.
LayerPassesPtr make_flatten(std::int64_t elements);

}  // namespace brickwork
