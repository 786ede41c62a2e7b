// The transforms of Winograd's minimal filtering F(m x m, 3 x 3) for m = 2 and m = 4, on blocks of features. The matrix
// products between them are the brick's.
//
//   m x m pixels of dst = A^T (sum over c of (G w G^T) .* (B^T d B)) A        d: the pixels of src that they read
//
//           | 1  0 -1  0 |        | 1    0    0  |
//   m = 2:  | 0  1  1  0 |        | 1/2  1/2  1/2|          | 1  1  1  0 |
//     B^T = | 0 -1  1  0 |    G = | 1/2 -1/2  1/2|    A^T = | 0  1 -1 -1 |
//           | 0  1  0 -1 |        | 0    0    1  |
//
// For m = 2 the polynomials are evaluated at 0, 1, -1 and infinity, for m = 4 at 0, a, -a, b, -b and infinity, with
// p = a^2 b^2, s = a^2 + b^2, f = 1 / (2 a^2 (a^2 - b^2)) and g = 1 / (2 b^2 (b^2 - a^2)):
//
//           | p   0    -s    0  1  0 |        | 1/p    0     0    |
//   m = 4:  | 0 -ab^2 -b^2   a  1  0 |        |  f    f a   f a^2 |          | 1   1    1    1    1   0 |
//     B^T = | 0  ab^2 -b^2  -a  1  0 |    G = |  f   -f a   f a^2 |    A^T = | 0   a   -a    b   -b   0 |
//           | 0 -a^2b -a^2   b  1  0 |        |  g    g b   g b^2 |          | 0  a^2  a^2  b^2  b^2  0 |
//           | 0  a^2b -a^2  -b  1  0 |        |  g   -g b   g b^2 |          | 0  a^3 -a^3  b^3 -b^3  1 |
//           | 0   p     0   -s  0  1 |        |  0     0     1    |
//
// The usual a = 1 and b = 2 give 3.8 times the rounding error of the direct algorithm (root mean square, 256 features).
// We take a = 5/8 and b = 3/2, as oneDNN did while it had the algorithm: 1.6 times the error. With m = 2 the only
// fractions are halves, so that small integers stay exact.
//
// A transform has (m + 2) x (m + 2) places. Each place is a matrix [tile][features] of its own; places are numbered row
// by row, and their matrices are `next` floats apart. Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural
// Networks" (arXiv 1509.09308), sections 4.1 and 4.3.
#pragma once
#include <cstdint>

namespace brickwork {

constexpr std::int64_t kWinogradTiles[] = {2, 4};  // m: a tile has m x m pixels of dst
constexpr std::int64_t kMostWinogradTile = 4;
constexpr std::int64_t winograd_places(std::int64_t tile) { return (tile + 2) * (tile + 2); }
// Bound on the rounding error with m = 4, relative to the largest result: a few times the error seen with 64 to 512
// features. For results below 2^15 the bound is less than 1.
constexpr double kWinogradRounding = 0x1p-15;
// The number of multiplications relative to the direct algorithm.
constexpr double winograd_share(std::int64_t tile) {
  return static_cast<double>(winograd_places(tile)) / static_cast<double>(9 * tile * tile);
}

// Neighbouring tiles of src: d of each begins `tile` columns after that of the one before.
struct WinogradSrcTiles {
  const float* rows[kMostWinogradTile + 2];  // column 0 of the rows of d; null: outside the image, zeros
  std::int64_t first, columns;  // first column of the first tile, may be < 0; outside [0, columns) are zeros
  std::int64_t tiles, bc;
};

// Neighbouring tiles of dst (T is float), or of its gradient (const float).
template <class T>
struct WinogradDstTiles {
  T* rows[kMostWinogradTile];  // rows of the first tile; null: below the image
  std::int64_t columns;        // columns of the image from the first tile on
  std::int64_t tiles, bk;
};

// The transforms for one m, vectorised for the machine that they run on. Transformed tensors are
// [place][tile][features], transformed weights [place][elements].
struct WinogradTransforms {
  void (*src)(WinogradSrcTiles, float* to, std::int64_t next);
  void (*dst)(const float* from, std::int64_t next, WinogradDstTiles<float>);
  // taps: [9][elements].
  void (*weights)(const float* taps, std::int64_t elements, float* to, std::int64_t next);
  // For the gradient of the weights, dw = G^T (sum over tiles of (A e A^T) .* (B^T d B)) G: dst_gradient transforms e,
  // the gradient of a tile of dst; weight_gradient transforms the sums to the nine taps.
  void (*dst_gradient)(WinogradDstTiles<const float>, float* to, std::int64_t next);
  void (*weight_gradient)(const float* from, std::int64_t next, std::int64_t elements, float* taps);
};
WinogradTransforms winograd_transforms(std::int64_t tile);

}  // namespace brickwork
