// The epilogue of a tile of C: what is done to it before it is stored, or while it is still in L1.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/epilogue/activation.hpp"

namespace brickwork {

// c[i][j] = f(c[i][j] + bias[j] + residual[i][j]), in this order; a null pointer or Activation::none leaves its step
// out. f is the activation. If `at` is given, f instead multiplies by the activation's derivative at `at`;
// activation.hpp says which tensor of the forward pass that is.
struct TileEpilogue {
  const float* bias = nullptr;     // n floats: one per output feature
  const void* residual = nullptr;  // m x n elements of C's type, leading dimension ldr
  std::int64_t ldr = 0;
  Activation activation = Activation::none;
  const void* at = nullptr;  // m x n elements of C's type, leading dimension ldat
  std::int64_t ldat = 0;

  BRICKWORK_HOST_DEVICE bool any() const {
    return bias != nullptr || residual != nullptr || activation != Activation::none;
  }
  // The last step alone, for kernels that add bias and residual in registers but cannot apply a curve there.
  TileEpilogue without_sum() const { return {.activation = activation, .at = at, .ldat = ldat}; }

  // The epilogue of the element in row i, column j. C is stored as Stored; the epilogue computes in T.
  template <class T, class Stored = T>
  BRICKWORK_HOST_DEVICE T operator()(T x, std::int64_t i, std::int64_t j) const {
    return of_element<T, Stored>(x, j, i * ldr + j, i * ldat + j);
  }
  // The epilogue of an element in column j, given its offsets in the residual and in `at`.
  template <class T, class Stored = T, class Curves = InlinedCurves>
  BRICKWORK_HOST_DEVICE T of_element(T x, std::int64_t j, std::int64_t in_residual, std::int64_t in_at) const {
    if (bias) x += T(bias[j]);
    if (residual) x += T(static_cast<const Stored*>(residual)[in_residual]);
    return at ? Curves::times_derivative(activation, x, T(static_cast<const Stored*>(at)[in_at]))
              : Curves::activated(activation, x);
  }
};

// Applies the epilogue to a row-major m x n tile with leading dimension ldc >= n. Touches only the elements of c,
// residual, at and bias; any alignment. Vectorised for the machine it runs on. The error of a curve is at most 6e-7 *
// max(1, |x|, |exact result|), where x is its argument or its gradient.
void apply_epilogue(float* c, int m, int n, std::int64_t ldc, const TileEpilogue&);

// The plain-loop version, for device code; it tests the one above.
template <class T>
BRICKWORK_HOST_DEVICE void apply_epilogue_portable(T* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) c[i * ldc + j] = e(c[i * ldc + j], i, j);
}

}  // namespace brickwork
