// What is done to a tile of C before it is stored, or while it is still in L1.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/epilogue/activation.hpp"

namespace brickwork {

// c[i][j] = f(c[i][j] + bias[j] + residual[i][j]), in this order; a null pointer or Activation::none leaves its step
// out. f is the activation, or where `at` is given the product with its derivative there: activation.hpp says which of
// the forward pass's tensors that is.
struct TileEpilogue {
  const float* bias = nullptr;     // n floats: one per output feature
  const void* residual = nullptr;  // m x n of C's type, with its own leading dimension
  std::int64_t ldr = 0;
  Activation activation = Activation::none;
  const void* at = nullptr;  // as residual
  std::int64_t ldat = 0;

  BRICKWORK_HOST_DEVICE bool any() const {
    return bias != nullptr || residual != nullptr || activation != Activation::none;
  }
  // Its last step: what is left after a sum in registers that cannot take it.
  TileEpilogue without_sum() const { return {.activation = activation, .at = at, .ldat = ldat}; }

  // The epilogue of one element, which is row `i`'s `j`-th; C is Stored, and the epilogue computed in T.
  template <class T, class Stored = T>
  BRICKWORK_HOST_DEVICE T operator()(T x, std::int64_t i, std::int64_t j) const {
    return of_element<T, Stored>(x, j, i * ldr + j, i * ldat + j);
  }
  // The same of column j, where the element lies so far on in the residual and in `at`.
  template <class T, class Stored = T, class Curves = InlinedCurves>
  BRICKWORK_HOST_DEVICE T of_element(T x, std::int64_t j, std::int64_t in_residual, std::int64_t in_at) const {
    if (bias) x += T(bias[j]);
    if (residual) x += T(static_cast<const Stored*>(residual)[in_residual]);
    return at ? Curves::times_derivative(activation, x, T(static_cast<const Stored*>(at)[in_at]))
              : Curves::activated(activation, x);
  }
};

// On a row-major m x n tile with leading dimension ldc >= n; touches nothing outside c's, the residual's, at's and the
// bias's elements, of any alignment. Vectorised for the machine it runs on; a curve is within 6e-7 of the exact value,
// relative to the largest of it, what it is taken of and 1.
void apply_epilogue(float* c, int m, int n, std::int64_t ldc, const TileEpilogue&);

// The same as plain loops, for device code; the oracle of the above.
template <class T>
BRICKWORK_HOST_DEVICE void apply_epilogue_portable(T* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) c[i * ldc + j] = e(c[i * ldc + j], i, j);
}

}  // namespace brickwork
