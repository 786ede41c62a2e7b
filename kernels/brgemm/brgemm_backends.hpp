// What a backend gives to the table in brgemm.cpp. The shape has been validated by then; an Isa is still the backend's
// to accept or to refuse.
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
