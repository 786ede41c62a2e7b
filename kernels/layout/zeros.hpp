// A tile of zeros: what is written where no brick is called.
#pragma once
#include <cstdint>

#include "kernels/brgemm/c_access.hpp"

namespace brickwork {

// m rows of n floats, ld apart. Other than cached, rows that are whole aligned vectors go past the caches, which spares
// reading their lines only to overwrite them; another thread may read them after the call. Vectorised for the machine
// it runs on.
void fill_zeros(float* c, std::int64_t m, std::int64_t n, std::int64_t ld, CAccess);

}  // namespace brickwork
