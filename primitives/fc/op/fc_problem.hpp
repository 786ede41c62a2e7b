// One fully connected layer: its sizes.
#pragma once
#include <cstdint>
#include <string>

#include "primitives/op/epilogue_steps.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// dst[n][k] = sum over c of src[n][c] * weights[k][c], and then the epilogue. N is the minibatch. Plain tensors are
// row-major as they stand here, f32; bias is [K], residual has the shape of dst.
struct FcProblem {
  static const SizeTable<FcProblem>& table();  // "N64 C1024 K1000"; N defaults to 1

  std::string name;  // the layer's name in its shape file; not part of the identity
  std::int64_t N = 1, C = 0, K = 0;
  Epilogue epilogue;
  int count = 1;  // how often the network uses the layer: the weight of whole-network figures

  double flops() const { return 2.0 * static_cast<double>(N) * static_cast<double>(C) * static_cast<double>(K); }

  // Throws std::invalid_argument with one sentence: a size <= 0, a tensor beyond 2^40 elements.
  void validate() const;
};

}  // namespace brickwork
