// Winograd's minimal filtering F(2x2, 3x3) on blocks of features: the transforms around the products of matrices.
//
//   2 x 2 pixels of dst = A^T (sum over c of (G w G^T) .* (B^T d B)) A        d: the 4 x 4 pixels of src that they see
//
//         | 1  0 -1  0 |        | 1    0    0  |
//   B^T = | 0  1  1  0 |    G = | 1/2  1/2  1/2|    A^T = | 1  1  1  0 |
//         | 0 -1  1  0 |        | 1/2 -1/2  1/2|          | 0  1 -1 -1 |
//         | 0  1  0 -1 |        | 0    0    1  |
//
// Each of the 16 places of such a 4 x 4 matrix is a matrix of its own, [tile][features]; places are counted row by row,
// and lie `next` floats apart. Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (arXiv
// 1509.09308), section 4.1. Halves are the only fractions: small integers stay exact.
#pragma once
#include <cstdint>

namespace brickwork {

constexpr int kWinogradPlaces = 16;
constexpr std::int64_t kWinogradTile = 2;     // pixels of dst along an axis
constexpr double kWinogradShare = 16.0 / 36;  // of the direct algorithm's multiplications

// Tiles side by side: d begins `kWinogradTile` columns further on for each.
struct WinogradSrcTiles {
  const float* rows[4];         // column 0 of the rows of d; null where it is outside the image, and zeros
  std::int64_t first, columns;  // of the first tile, which may be below 0; outside [0, columns) there are zeros
  std::int64_t tiles, bc;
};
void transform_src(const WinogradSrcTiles&, float* to, std::int64_t next);  // to [place][tile][bc]

// Of dst, or const of its gradient.
template <class T>
struct WinogradDstTiles {
  T* rows[2];            // the first tile's; null where the image has ended
  std::int64_t columns;  // so many are left of the image
  std::int64_t tiles, bk;
};
void transform_dst(const float* from, std::int64_t next,
                   const WinogradDstTiles<float>&);  // from [place][tile][bk]

// w: the nine taps of so many elements, one behind the other.
void transform_weights(const float* taps, std::int64_t elements, float* to, std::int64_t next);

// The gradient of the weights, dw = G^T (sum over tiles of (A e A^T) .* (B^T d B)) G: e, the gradient of a tile of dst,
// to [place][tile][bk], and the sums to the nine taps.
void transform_dst_gradient(const WinogradDstTiles<const float>&, float* to, std::int64_t next);
void transform_weight_gradient(const float* from, std::int64_t next, std::int64_t elements, float* taps);

}  // namespace brickwork
