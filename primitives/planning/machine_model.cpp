#include "primitives/planning/machine_model.hpp"

#include "primitives/planning/machine/machine.hpp"
#include "primitives/planning/speeds/measured_speeds.hpp"

namespace brickwork {

MachineModel this_machine(int threads, const SimdTuning& tuning) {
  MachineModel model{.threads = threads,
                     .few_registers = tuning.few_registers,
                     .far = tuning.far,
                     .src = tuning.src,
                     .narrow = tuning.narrow,
                     .reduction = tuning.reduction,
                     .pixels = tuning.pixels,
                     .sweep = tuning.sweep,
                     .speeds = speeds_of_this_machine()};
  const auto take = [](std::int64_t found, std::int64_t& bytes) {
    if (found > 0) bytes = found;
  };
  take(machine().l1d_bytes, model.l1_bytes);
  take(machine().l2_bytes, model.l2_bytes);
  take(machine().l3_bytes, model.l3_bytes);
  return model;
}

}  // namespace brickwork
