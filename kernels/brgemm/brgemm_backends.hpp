// Functions that each backend provides to the table in brgemm.cpp. make_brgemm() has validated the shape; each backend
// accepts or refuses the Isa itself.
#pragma once
#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

Result<BrgemmKernelPtr> make_libxsmm_brgemm(const BrgemmShape&, const BrgemmHints&, Isa);
BackendInfo libxsmm_info();

Result<BrgemmKernelPtr> make_simd_brgemm(const BrgemmShape&, const BrgemmHints&, Isa);
BackendInfo simd_info();

Result<BrgemmKernelPtr> make_portable_brgemm(const BrgemmShape&, const BrgemmHints&, Isa);
BackendInfo portable_info();

}  // namespace brickwork
