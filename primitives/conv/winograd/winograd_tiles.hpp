// Winograd's minimal filtering F(m x m, 3 x 3), of m = 2 and 4, on blocks of features: the transforms around the
// products of matrices.
//
//   m x m pixels of dst = A^T (sum over c of (G w G^T) .* (B^T d B)) A        d: the pixels of src that they see
//
//           | 1  0 -1  0 |        | 1    0    0  |
//   m = 2:  | 0  1  1  0 |        | 1/2  1/2  1/2|          | 1  1  1  0 |
//     B^T = | 0 -1  1  0 |    G = | 1/2 -1/2  1/2|    A^T = | 0  1 -1 -1 |
//           | 0  1  0 -1 |        | 0    0    1  |
//
// which are polynomials taken at 0, 1, -1 and infinity, and of m = 4 at 0, a, -a, b, -b and infinity, with p = a^2 b^2,
// s = a^2 + b^2, f = 1 / (2 a^2 (a^2 - b^2)) and g = 1 / (2 b^2 (b^2 - a^2)):
//
//           | p   0    -s    0  1  0 |        | 1/p    0     0    |
//   m = 4:  | 0 -ab^2 -b^2   a  1  0 |        |  f    f a   f a^2 |          | 1   1    1    1    1   0 |
//     B^T = | 0  ab^2 -b^2  -a  1  0 |    G = |  f   -f a   f a^2 |    A^T = | 0   a   -a    b   -b   0 |
//           | 0 -a^2b -a^2   b  1  0 |        |  g    g b   g b^2 |          | 0  a^2  a^2  b^2  b^2  0 |
//           | 0  a^2b -a^2  -b  1  0 |        |  g   -g b   g b^2 |          | 0  a^3 -a^3  b^3 -b^3  1 |
//           | 0   p     0   -s  0  1 |        |  0     0     1    |
//
// The customary a = 1 and b = 2 round to 3.8 times as much as the direct algorithm does (the root of the mean square,
// of 256 features), 5/8 and 3/2, which oneDNN had while it had the algorithm, to 1.6 times as much. Of m = 2 halves are
// the only fractions: small integers stay exact.
//
// Each of the places of such a matrix of m + 2 by m + 2 is a matrix of its own, [tile][features]; places are counted
// row by row, and lie `next` floats apart. Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks"
// (arXiv 1509.09308), sections 4.1 and 4.3.
#pragma once
#include <cstdint>

namespace brickwork {

constexpr std::int64_t kWinogradTiles[] = {2, 4};  // m: pixels of a tile of dst along an axis
constexpr std::int64_t kMostWinogradTile = 4;
constexpr std::int64_t winograd_places(std::int64_t tile) { return (tile + 2) * (tile + 2); }
// What sums of products of m = 4 may be off by, as a share of the largest: a few times what was seen of 64 to 512
// features, and of integers less than one as long as none is above 2^15.
constexpr double kWinogradRounding = 0x1p-15;
// Of the direct algorithm's multiplications.
constexpr double winograd_share(std::int64_t tile) {
  return static_cast<double>(winograd_places(tile)) / static_cast<double>(9 * tile * tile);
}

// Tiles side by side: d begins `tile` columns further on for each.
struct WinogradSrcTiles {
  const float* rows[kMostWinogradTile + 2];  // column 0 of the rows of d; null where it is outside the image, and zeros
  std::int64_t first, columns;  // of the first tile, which may be below 0; outside [0, columns) there are zeros
  std::int64_t tiles, bc;
};

// Of dst, or const of its gradient.
template <class T>
struct WinogradDstTiles {
  T* rows[kMostWinogradTile];  // the first tile's; null where the image has ended
  std::int64_t columns;        // so many are left of the image
  std::int64_t tiles, bk;
};

// Of one m, for the machine that they run on. Matrices [place][tile][features], or of weights [place][elements].
struct WinogradTransforms {
  void (*src)(WinogradSrcTiles, float* to, std::int64_t next);
  void (*dst)(const float* from, std::int64_t next, WinogradDstTiles<float>);
  // w: the nine taps of so many elements, one behind the other.
  void (*weights)(const float* taps, std::int64_t elements, float* to, std::int64_t next);
  // The gradient of the weights, dw = G^T (sum over tiles of (A e A^T) .* (B^T d B)) G: e, the gradient of a tile of
  // dst, and the sums to the nine taps.
  void (*dst_gradient)(WinogradDstTiles<const float>, float* to, std::int64_t next);
  void (*weight_gradient)(const float* from, std::int64_t next, std::int64_t elements, float* taps);
};
WinogradTransforms winograd_transforms(std::int64_t tile);

}  // namespace brickwork
