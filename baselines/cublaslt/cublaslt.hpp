// cuBLASLt, which is loaded when it is needed: a product of matrices, by the fastest of what its heuristics propose.
#pragma once
#include <cstdint>
#include <string>

#include "baselines/contender/contender.hpp"
#include "baselines/contender/precision.hpp"
#ifdef BRICKWORK_HAS_CUBLASLT
#include <cublasLt.h>
#endif

namespace brickwork::cublaslt {

// Why it cannot be used, in one sentence: no device, no library, one that is older than its headers, or a build without
// it. Empty where it can.
std::string absent();
std::string version();  // "13.1.0"; empty where it is absent

// With its name and library; what it does is still to be said.
template <Operation Op>
Contender<Op> contender() {
  return {.name = "cublaslt", .library = {"cuBLASLt", version(), absent()}, .device = "cuda"};
}

#ifdef BRICKWORK_HAS_CUBLASLT

// D = op(A) op(B), m x n of sums of k, as cuBLAS counts them: column by column, so that a plain tensor [columns][rows]
// is a matrix of rows x columns. Tensors by their names.
struct Product {
  const char *a, *b, *d;
  bool transpose_a, transpose_b;
  std::int64_t m, n, k;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const char* addend = nullptr;  // as large as D
  // Of the epilogue, with so many elements: an input, or a result where the epilogue is a gradient's.
  const char* bias = nullptr;
  std::int64_t bias_size = 0;
  bool bias_is_result = false;
};

// Throws Refused where the library has no way to do it, and std::runtime_error where it fails.
PreparedPtr prepare(const Product&, Precision, const PlainTensors& inputs);

#endif

}  // namespace brickwork::cublaslt
