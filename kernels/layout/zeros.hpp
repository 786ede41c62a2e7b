// Fills a tile with zeros, for outputs to which no brick adds.
#pragma once
#include <cstdint>

#include "kernels/brgemm/c_access.hpp"

namespace brickwork {

// m rows of n floats, ld floats apart. Unless `access` is cached, rows that consist of whole aligned vectors are stored
// past the caches, which saves reading their lines only to overwrite them. Other threads see those stores only after
// finish_stores(). Vectorised for the machine it runs on.
void fill_zeros(float* c, std::int64_t m, std::int64_t n, std::int64_t ld, CAccess);

}  // namespace brickwork
