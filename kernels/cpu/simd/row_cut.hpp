// Cuts the rows of a brick into register tiles if the ISA has only 16 vector registers.
//
// Two FMA units of latency 5 need ten sums in flight. With 32 registers a tile of any height may be four vectors wide
// and has enough of them. 16 registers hold 12 sums: 6 rows of two vectors, 4 of three or 3 of four. So the height of a
// tile decides its width, and rows that 6 does not divide go into lower and wider tiles. Example: 7 x 64 as 4 rows
// three vectors wide and 3 rows four vectors wide reaches 0.85 of peak; tiles of 4 and 3 rows two vectors wide, with 8
// and 6 sums, reach 0.70 (Zen 2).
//
// Among tiles of 12 sums the wide ones take the fewest instructions but read B most often. So the place of B matters.
// If B is in L1, 36 x 32 in tiles of 3 x 4 vectors takes 1 to 3 % less time than in tiles of 6 x 2, and 10 % less if a
// neighbour takes half of the core's issue slots. If B is beyond L1, it takes up to 3 % more (Zen 3), or 2 to 4 % less
// (AVX2 on a Zen 4); the tuning decides (FarTiles).
#pragma once
#include <array>
#include <vector>

namespace brickwork {

// Tiles of one height, one below the other.
struct RowGroup {
  int tiles = 0, tile_rows = 0;
  int vecs = 0;  // a tile is at most this many vectors wide

  int rows() const { return tiles * tile_rows; }
  friend bool operator==(const RowGroup&, const RowGroup&) = default;
};

enum class PlaceOfB { in_l1, far };

class RowCut {
 public:
  static constexpr int kWidest = 4;

  // For `vecs` neighbouring vectors of C. most_rows[w - 1]: most rows of a tile w vectors wide, at least 1.
  RowCut(int vecs, const std::array<int, kWidest>& most_rows, PlaceOfB);

  // The groups that cost least, from the first row on; some may have no tiles.
  using Groups = std::array<RowGroup, 3>;
  Groups operator()(int rows) const;

 private:
  static constexpr int kListed = 36;  // of more rows than these, the first ones go into tiles of the best height

  RowGroup group(int tiles, int tile_rows) const;
  Groups best(int rows) const;

  int vecs_;
  std::array<int, kWidest> most_rows_;
  std::vector<double> cost_;   // [h - 1]: of all tiles of height h side by side, in FMAs of a step over k
  std::vector<double> begin_;  // [h - 1]: extra cost of the first of those tiles
  int best_height_ = 1;
  std::vector<Groups> listed_;  // by number of rows
};

}  // namespace brickwork
