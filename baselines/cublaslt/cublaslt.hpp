// cuBLASLt, loaded at run time: a product of matrices by the fastest algorithm that its heuristics propose.
#pragma once
#include <cstdint>
#include <string>

#include "baselines/contender/contender.hpp"
#include "baselines/contender/precision.hpp"
#ifdef BRICKWORK_HAS_CUBLASLT
#include <cublasLt.h>
#endif

namespace brickwork::cublaslt {

// Why it cannot be used, in one sentence: no device, no library, a library older than its headers, or a build without
// it. Empty if it can.
std::string absent();
std::string version();  // "13.1.0"; empty if it is absent

// A contender with its name and library; the caller sets prepare.
template <Operation Op>
Contender<Op> contender() {
  return {.name = "cublaslt", .library = {"cuBLASLt", version(), absent()}, .device = "cuda"};
}

#ifdef BRICKWORK_HAS_CUBLASLT

// D = op(A) op(B), m x n sums of k products, in cuBLAS's column-major terms: a plain tensor [columns][rows] is a matrix
// of rows x columns. Tensors are given by name.
struct Product {
  const char *a, *b, *d;
  bool transpose_a, transpose_b;
  std::int64_t m, n, k;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const char* addend = nullptr;  // a tensor of D's size
  // For the epilogue: a vector of bias_size elements, an input or, if the epilogue is a gradient's, a result.
  const char* bias = nullptr;
  std::int64_t bias_size = 0;
  bool bias_is_result = false;
};

// Throws Refused if the library cannot do it, and std::runtime_error if it fails.
PreparedPtr prepare(const Product&, Precision, const PlainTensors& inputs);

#endif

}  // namespace brickwork::cublaslt
