// Whether this build and this machine have a backend's brick.
#pragma once
#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

inline bool usable(Backend backend) { return brgemm_backend(backend).absent_reason.empty(); }

}  // namespace brickwork
