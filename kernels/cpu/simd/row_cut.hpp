// How a brick's rows are cut into register tiles where the registers are few.
//
// Two FMA units of latency 5 need ten sums. With 32 registers a tile of any height has as many, as it may be four
// vectors wide; 16 hold 12 of them: 6 rows of two vectors, 4 of three, or 3 of four. So the height of a tile decides
// how wide it is, and what 6 does not divide is made of lower and wider tiles: 7 x 64 as 4 and 3 rows three and four
// vectors wide, 0.70 -> 0.85 of peak, where tiles of 4 and 3 rows two vectors wide have 8 and 6 sums (Zen 2).
//
// Of the tiles of 12 sums the wide ones take the fewest instructions, but B passes by most often. So it matters where B
// is: in L1 36 x 32 takes 1 to 3 % less time in tiles of 3 x 4 vectors than of 6 x 2, and 10 % less where a neighbour
// takes half of the core's issue slots; beyond L1 up to 3 % more (Zen 3), or 2 to 4 % less (AVX2 on a Zen 4), which a
// tuning says (FarTiles).
#pragma once
#include <array>
#include <vector>

namespace brickwork {

// Tiles of one height, one below the other.
struct RowGroup {
  int tiles = 0, tile_rows = 0;
  int vecs = 0;  // the width of a tile, at most

  int rows() const { return tiles * tile_rows; }
  friend bool operator==(const RowGroup&, const RowGroup&) = default;
};

enum class PlaceOfB { in_l1, far };

class RowCut {
 public:
  static constexpr int kWidest = 4;

  // Of C's so many vectors side by side. most_rows[w - 1]: of a tile w vectors wide, at least 1.
  RowCut(int vecs, const std::array<int, kWidest>& most_rows, PlaceOfB);

  // Those that take least; some may have no tiles.
  using Groups = std::array<RowGroup, 3>;
  Groups operator()(int rows) const;

 private:
  static constexpr int kListed = 36;  // of more rows than these the first ones are tiles of the best height

  RowGroup group(int tiles, int tile_rows) const;
  Groups best(int rows) const;

  int vecs_;
  std::array<int, kWidest> most_rows_;
  std::vector<double> cost_;   // [h - 1]: of all tiles of that height side by side, in FMAs of a step over k
  std::vector<double> begin_;  // likewise: what the first of them cost besides
  int best_height_ = 1;
  std::vector<Groups> listed_;  // by rows
};

}  // namespace brickwork
