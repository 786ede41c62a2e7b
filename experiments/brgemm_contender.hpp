// The brick itself as a contender, one per backend.
#pragma once
#include <memory>

#include "contender.hpp"

namespace brickwork {

std::unique_ptr<BrgemmContender> make_brgemm_contender(Backend, Isa);

}  // namespace brickwork
