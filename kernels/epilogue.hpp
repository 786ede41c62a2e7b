// What is done to a tile of C before it is stored, or while it is still in L1.
#pragma once
#include <cstdint>

#include "host_device.hpp"

namespace brickwork {

// c[i][j] = relu(c[i][j] + bias[j] + residual[i][j]), in this order; a null pointer or false leaves its step out.
// relu(x) = x < 0 ? 0 : x, so that a NaN stays one: an epilogue hides no wrong result.
struct TileEpilogue {
  const float* bias = nullptr;     // n floats: one per output feature
  const void* residual = nullptr;  // m x n of C's type, with its own leading dimension
  std::int64_t ldr = 0;
  bool relu = false;

  BRICKWORK_HOST_DEVICE bool any() const { return bias != nullptr || residual != nullptr || relu; }
};

// On a row-major m x n tile with leading dimension ldc >= n; touches nothing outside c's, the residual's and the bias's
// elements, of any alignment. Vectorised for the machine it runs on.
void apply_epilogue(float* c, int m, int n, std::int64_t ldc, const TileEpilogue&);

// The same as plain loops, for device code; the oracle of the above.
template <class T>
BRICKWORK_HOST_DEVICE void apply_epilogue_portable(T* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      T x = c[i * ldc + j];
      if (e.bias) x += T(e.bias[j]);
      if (e.residual) x += static_cast<const T*>(e.residual)[i * e.ldr + j];
      c[i * ldc + j] = e.relu && x < T(0) ? T(0) : x;
    }
}

}  // namespace brickwork
