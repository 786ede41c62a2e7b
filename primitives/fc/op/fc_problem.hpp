// The problem of one fully connected layer: its sizes and epilogue.
#pragma once
#include <cstdint>
#include <string>

#include "primitives/op/epilogue_steps.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// dst[n][k] = sum over c of src[n][c] * weights[k][c], and then the epilogue. N is the minibatch. Plain tensors are f32
// and row-major with the indices of this formula; bias is [K], residual has the shape of dst.
struct FcProblem {
  static const SizeTable<FcProblem>& table();  // "N64 C1024 K1000"; N defaults to 1

  std::string name;  // the layer's name in its shape file; ignored by comparisons
  std::int64_t N = 1, C = 0, K = 0;
  Epilogue epilogue;
  int count = 1;  // how often the network has the layer: its weight in whole-network figures

  double flops() const { return 2.0 * static_cast<double>(N) * static_cast<double>(C) * static_cast<double>(K); }

  // Throws std::invalid_argument with one sentence if a size is <= 0 or a tensor has more than 2^40 elements.
  void validate() const;
};

}  // namespace brickwork
