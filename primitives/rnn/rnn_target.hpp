// Where recurrent layers run and keep their tensors: on the host (rnn_on_host.hpp) or on a device (rnn_on_cuda.hpp).
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "kernels/base/result.hpp"
#include "primitives/rnn/rnn_geometry.hpp"
#include "primitives/tensors/target_array.hpp"

namespace brickwork {

// The passes of one direction of one layer, made for its geometries. Their tensors lie where the target computes.
struct RnnPasses {
  std::string isa;
  std::function<void(const RnnForwardData&)> forward;
  std::function<void(const RnnBackwardData&)> backward_data, gradient_of_x, weight_update;
};

class RnnTarget : public MemoryTarget {
 public:
  // How to cut the work for N sequences, in blocks of bn forward, and K features.
  virtual RnnSizes sizes(std::int64_t N, std::int64_t bn, std::int64_t K) const = 0;
  // If the backward geometry is null, there are no backward passes. Refused if there is no brick for a shape.
  virtual Result<RnnPasses> passes(const RnnForwardGeometry&, const RnnBackwardGeometry*) const = 0;
};

}  // namespace brickwork
