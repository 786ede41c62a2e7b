// The last step of the portable and the staged brick: computes one element of C from its sum of products.
#pragma once
#include "kernels/base/bf16.hpp"
#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

// `place` is the offset of the element's row in C. Reads c[place + col] only if beta is 1.
template <class TC, class Curves = InlinedCurves>
BRICKWORK_HOST_DEVICE TC finished_element(const BrgemmShape& shape, const BrgemmCall& call, SumOf<TC> sum, int row,
                                          std::int64_t place, int col) {
  if (shape.beta != 0) sum += SumOf<TC>(static_cast<const TC*>(call.c)[place + col]);
  const bool as_c = shape.pixels_of_c.cols != 0;
  return TC(call.epilogue.template of_element<SumOf<TC>, TC, Curves>(
      sum, col, (as_c ? place : row * call.epilogue.ldr) + col, (as_c ? place : row * call.epilogue.ldat) + col));
}

}  // namespace brickwork
