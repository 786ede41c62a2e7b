// Random settings for drivers that are compared with plain loops; call these functions within rc::check().
#pragma once
#include <initializer_list>
#include <string>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/layout/sweep.hpp"
#include "primitives/planning/machine_model.hpp"
#include "primitives/testing/oracle/sown_values.hpp"

namespace brickwork::oracle {

// A backend and an instruction set that this build and this machine have.
struct Brick {
  Backend backend;
  Isa isa;
};
std::string to_string(const Brick&);
Brick random_brick();

MachineModel random_machine();
Sweep random_sweep();

// From 1 to `most`, uniformly: RapidCheck's own ranges grow during a check.
std::int64_t up_to(std::int64_t most);
// Mostly one of these sizes, or one less or more; otherwise 1 to 12, which includes primes.
std::int64_t random_size(std::initializer_list<std::int64_t>);

AlignedBuffer<float> unwritten_floats(std::int64_t size);  // NaN

// Fails the check if `difference` is not empty.
void require_none(const std::string& difference, const std::string& problem, Sown);

}  // namespace brickwork::oracle
