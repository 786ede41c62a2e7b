// How drivers are run that are compared with plain loops; to be called within rc::check().
#pragma once
#include <initializer_list>
#include <string>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/layout/sweep.hpp"
#include "primitives/planning/machine_model.hpp"
#include "primitives/testing/oracle/sown_values.hpp"

namespace brickwork::oracle {

// A backend on an instruction set that this build and this machine have.
struct Brick {
  Backend backend;
  Isa isa;
};
std::string to_string(const Brick&);
Brick random_brick();

MachineModel random_machine();
Sweep random_sweep();

// From 1 to `most`, evenly: the ranges of RapidCheck grow over the course of a check.
std::int64_t up_to(std::int64_t most);
// Mostly one of these, or one less or more; or else 1 to 12, primes among them.
std::int64_t random_size(std::initializer_list<std::int64_t>);

AlignedBuffer<float> unwritten_floats(std::int64_t size);  // NaN

// Fails where there is a difference.
void require_none(const std::string& difference, const std::string& problem, Sown);

}  // namespace brickwork::oracle
