// Runs a kernel and reports every violation of the contract in brgemm.hpp. Each operand ends (or begins) at a guard
// page, memory around it is poisoned, and inputs are compared afterwards. Values are small integers, so the result is
// exact and compared bit by bit, except after a curve.
#pragma once
#include <cstdint>
#include <string>

#include "kernels/brgemm/brgemm.hpp"
#include "kernels/testing/last_step.hpp"

namespace brickwork {

struct BrgemmCase {
  BrgemmShape shape;
  std::int64_t batch = 1;
  bool guard_after = true;  // a guard page follows each operand; false: it precedes
  unsigned seed = 1;
  BrgemmHints hints;        // the operands fulfil them
  int rows = -1;            // as in BrgemmCall; further rows of A and C are poisoned
  std::int64_t next_a = 0;  // as in BrgemmCall, like the following members
  NextRows read_next;
  bool bias = false, residual = false;
  LastStep last;  // of the epilogue
};

std::string to_string(const BrgemmCase&);

// The shape with tight leading dimensions plus `pad`; members have gaps between them if pad > 0.
BrgemmShape padded_shape(int m, int n, int k, std::int64_t pad, int beta, BatchKind, bool a_transposed = false);

// The kernel's first error; empty if the kernel is right. Only one thread may call this at a time: its handlers of
// SIGSEGV and SIGBUS, which stay installed after the first call, share one jump buffer.
std::string check_brgemm(const BrgemmKernel&, const BrgemmCase&);

}  // namespace brickwork
