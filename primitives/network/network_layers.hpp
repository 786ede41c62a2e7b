// The passes of a network's layers, each a driver between tensors that lie where the network has put them.
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
  winograd,  // where that takes less time (conv_winograd_plan.hpp), else direct
};

// How every layer is made.
struct NetworkBrick {
  MachineModel machine;
  Backend backend = Backend::simd;
  Isa isa = Isa::best;
  SimdTuning tuning;
  ConvAlgorithm algorithm = ConvAlgorithm::direct;
};

// Null where a layer does without, and where a gradient is not wanted.
struct LayerTensors {
  BlockedInput src, residual;
  BlockedOutput dst;
  BlockedInput ddst;
  BlockedInput dsrc_before;  // what other layers have left of src's gradient already, to be added to
  BlockedOutput dsrc, dresidual;
};

// Blocked: weights and bias, or gamma and beta.
struct LayerParameters {
  const float *weights = nullptr, *bias = nullptr;
  float *dweights = nullptr, *dbias = nullptr;
};

class LayerPasses {
 public:
  virtual ~LayerPasses() = default;

  void bind(const LayerTensors& tensors) { t_ = tensors; }
  void bind(const LayerParameters& parameters) { p_ = parameters; }

  // Columns of zeros that it wants beside the rows of src, and of dst's gradient; negative where it takes any.
  virtual std::int64_t src_pad() const { return -1; }
  virtual std::int64_t ddst_pad() const { return -1; }

  // Of a parameter: how many floats it has, and the way from and to the user's form.
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

// Unsupported or absent where the backend has no brick for it.
Result<LayerPassesPtr> make_layer_passes(const NetworkGraph&, std::size_t layer, const NetworkBrick&);

// Images [N][C][H][W] as rows of C * H * W features for the fully connected layer behind them, and their gradients
// back.
LayerPassesPtr make_flatten(std::int64_t elements);

}  // namespace brickwork
