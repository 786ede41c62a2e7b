// The layout of the features of all sequences over time, as the brick reads A and writes C.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "primitives/nest/integers.hpp"

namespace brickwork {

// [parts][ceil(size / block)][slots][N][block]. A part is a direction of the layer below, with `size` features; zeros
// pad its last block. A slot is a step, or the state before the first or after the last step.
struct RnnSteps {
  std::int64_t parts = 1, size = 0, block = 0, slots = 0, N = 0;

  BRICKWORK_HOST_DEVICE std::int64_t blocks_of_part() const { return ceil_div(size, block); }
  BRICKWORK_HOST_DEVICE std::int64_t blocks() const { return parts * blocks_of_part(); }
  BRICKWORK_HOST_DEVICE std::int64_t slot_size() const { return N * block; }
  BRICKWORK_HOST_DEVICE std::int64_t block_size() const { return slots * slot_size(); }
  BRICKWORK_HOST_DEVICE std::int64_t elements() const { return blocks() * block_size(); }
  BRICKWORK_HOST_DEVICE std::int64_t at(std::int64_t part, std::int64_t feature, std::int64_t slot,
                                        std::int64_t n) const {
    return (part * blocks_of_part() + feature / block) * block_size() + slot * slot_size() + n * block +
           feature % block;
  }
};

// on(place) for each element of a plain [steps][N][parts * size] tensor, in its order; its first step is in slot
// `first`.
template <class On>
void for_each_place(const RnnSteps& layout, std::int64_t first, std::int64_t steps, const On& on) {
  for (std::int64_t t = 0; t < steps; ++t)
    for (std::int64_t n = 0; n < layout.N; ++n)
      for (std::int64_t part = 0; part < layout.parts; ++part)
        for (std::int64_t f = 0; f < layout.size; ++f) on(layout.at(part, f, first + t, n));
}

inline void pack_steps(const RnnSteps& layout, std::int64_t first, std::int64_t steps, const float* plain, float* to) {
  for_each_place(layout, first, steps, [&](std::int64_t at) { to[at] = *plain++; });
}

inline void unpack_steps(const RnnSteps& layout, std::int64_t first, std::int64_t steps, const float* from,
                         float* plain) {
  for_each_place(layout, first, steps, [&](std::int64_t at) { *plain++ = from[at]; });
}

}  // namespace brickwork
