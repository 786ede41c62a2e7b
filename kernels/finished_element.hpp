// The end of a brick whose sums are plain numbers: what one element of C becomes.
#pragma once
#include "bf16.hpp"
#include "brgemm.hpp"
#include "host_device.hpp"

namespace brickwork {

// `sum` is of its products; `c`, which it will replace, is read only where beta asks for it.
template <class TC>
BRICKWORK_HOST_DEVICE TC finished_element(const BrgemmShape& shape, const BrgemmCall& call, SumOf<TC> sum, const TC& c,
                                          int row, int col) {
  if (shape.beta != 0) sum += SumOf<TC>(c);
  return TC(call.epilogue.template operator()<SumOf<TC>, TC>(sum, row, col));
}

}  // namespace brickwork
