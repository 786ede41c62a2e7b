// Runs a kernel where every step outside the contract of brgemm.hpp shows: operands end (or begin) at a page that may
// not be touched, everything around them is poisoned, inputs are compared afterwards. Values are small integers, so
// the expected result is exact and compared bit by bit, but for a last step that is a curve.
#pragma once
#include <cstdint>
#include <string>

#include "kernels/brgemm/brgemm.hpp"
#include "kernels/testing/last_step.hpp"

namespace brickwork {

struct BrgemmCase {
  BrgemmShape shape;
  std::int64_t batch = 1;
  bool guard_after = true;  // the untouchable page follows each operand; false: it precedes
  unsigned seed = 1;
  BrgemmHints hints;        // the operands are such that they are true
  int rows = -1;            // as in BrgemmCall; what A and C have of further rows is poisoned
  std::int64_t next_a = 0;  // as in BrgemmCall, and so are these
  NextRows read_next;
  bool bias = false, residual = false;
  LastStep last;  // of the epilogue
};

std::string to_string(const BrgemmCase&);

// The shape with tight leading dimensions plus pad, and strides that leave a gap between the members.
BrgemmShape padded_shape(int m, int n, int k, std::int64_t pad, int beta, BatchKind, bool a_transposed = false);

// What the kernel did wrong, or nothing. Not to be called by two threads at once: it handles SIGSEGV, from
// the first call on.
std::string check_brgemm(const BrgemmKernel&, const BrgemmCase&);

}  // namespace brickwork
