#include "kernels/cpu/simd/row_cut.hpp"

#include <gtest/gtest.h>

namespace brickwork {
namespace {

constexpr std::array<int, RowCut::kWidest> kAvx2{13, 6, 4, 3};

// The groups that have tiles, from the first row on.
std::vector<RowGroup> cut(int vecs, int rows, PlaceOfB b = PlaceOfB::far) {
  std::vector<RowGroup> groups;
  for (const RowGroup& group : RowCut(vecs, kAvx2, b)(rows)) {
    if (group.tiles > 0) groups.push_back(group);
  }
  return groups;
}
using Groups = std::vector<RowGroup>;

TEST(RowCut, TheHeightOfATileDecidesItsWidth) {
  EXPECT_EQ(cut(8, 3), (Groups{{1, 3, 4}}));
  EXPECT_EQ(cut(6, 4), (Groups{{1, 4, 3}}));
  EXPECT_EQ(cut(8, 6), (Groups{{2, 3, 4}}));
  EXPECT_EQ(cut(8, 36), (Groups{{6, 6, 2}}));
  EXPECT_EQ(cut(1, 13), (Groups{{1, 13, 1}}));
}

TEST(RowCut, ChoosesWideTilesIfL1HoldsB) {
  EXPECT_EQ(cut(4, 36), (Groups{{6, 6, 2}}));
  EXPECT_EQ(cut(4, 36, PlaceOfB::in_l1), (Groups{{12, 3, 4}}));
  EXPECT_EQ(cut(2, 36, PlaceOfB::in_l1), (Groups{{6, 6, 2}}));  // there is nothing wider
}

TEST(RowCut, ATileIsNoWiderThanC) {
  EXPECT_EQ(cut(2, 3), (Groups{{1, 3, 2}}));
  EXPECT_EQ(cut(1, 6), (Groups{{1, 6, 1}}));
}

TEST(RowCut, OtherHeightsMakeUpTheRest) {
  EXPECT_EQ(cut(8, 7), (Groups{{1, 4, 3}, {1, 3, 4}}));
  EXPECT_EQ(cut(8, 8), (Groups{{2, 4, 3}}));
  EXPECT_EQ(cut(8, 28), (Groups{{4, 6, 2}, {1, 4, 3}}));
}

// Three vectors fit one tile of four rows, but need two tiles of six rows; the second, one vector wide, has only six
// sums.
TEST(RowCut, DependsOnTheColumns) { EXPECT_EQ(cut(3, 24), (Groups{{6, 4, 3}})); }

TEST(RowCut, ManyRowsBeginWithTilesOfTheBestHeight) {
  EXPECT_EQ(cut(8, 600 + 28).front(), (RowGroup{99, 6, 2}));
  EXPECT_EQ(cut(8, 0), Groups{});
}

// For any limits on a tile's rows, the tiles cover all rows and stay within the limits.
TEST(RowCut, CoversAllRows) {
  for (const std::array<int, RowCut::kWidest>& most :
       {kAvx2, {1, 1, 1, 1}, {1, 6, 1, 1}, {13, 2, 4, 1}, {5, 5, 3, 3}}) {
    for (int vecs = 1; vecs <= 9; ++vecs) {
      for (const PlaceOfB b : {PlaceOfB::in_l1, PlaceOfB::far}) {
        const RowCut row_cut(vecs, most, b);
        for (int rows = 0; rows <= 130; ++rows) {
          int found = 0;
          for (const RowGroup& group : row_cut(rows)) {
            found += group.rows();
            if (group.tiles == 0) continue;
            EXPECT_LE(group.tile_rows, most[static_cast<std::size_t>(group.vecs - 1)]);
            EXPECT_LE(group.vecs, vecs);
          }
          EXPECT_EQ(found, rows) << vecs;
        }
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
