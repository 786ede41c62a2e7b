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

}  // namespace brickwork::onednn
