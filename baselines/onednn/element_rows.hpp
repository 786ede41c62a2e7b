// Loops over the elements of a row, between oneDNN's products. They are vectorised by Highway and use our own curves:
// one pass over a level, where a chain of oneDNN's eltwise and binary primitives would be a call for each operation.
#pragma once
#include <cstdint>

namespace brickwork::onednn {

enum class ElementOp : std::uint8_t { copy, add, subtract, multiply, one_minus };
enum class Curve : std::uint8_t { none, sigmoid, tanh, relu };

// to = curve(a op b) for `count` elements; copy and one_minus take no b. `to` may be a or b.
void element_row(ElementOp, Curve, const float* a, const float* b, std::int64_t count, float* to);

// to = row * matrix [H][H], whose rows begin `ld` apart
void row_times_matrix(const float* row, const float* matrix, std::int64_t ld, std::int64_t H, float* to);

// For gradients. to (+)= what the operation gives; with `adds` it is added to what is there.
enum class GradientOp : std::uint8_t {
  add,       // from
  subtract,  // -from
  multiply,  // from * value
  slope,     // to * the curve's slope where it returned `value`; never adds
  zero,      // never adds
};
void gradient_row(GradientOp, Curve, bool adds, const float* from, const float* value, std::int64_t count, float* to);

// For y = row * matrix and its gradient dy: d_row (+)= dy * matrix^T; d_matrix += row^T * dy, rows being `ld` apart in
// both matrices. Either may be null.
void row_times_matrix_gradients(const float* row, const float* matrix, std::int64_t ld, std::int64_t H, const float* dy,
                                bool adds, float* d_row, float* d_matrix);

}  // namespace brickwork::onednn
