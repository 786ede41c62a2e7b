#include "kernels/cpu/simd/row_cut.hpp"

#include <algorithm>
#include <limits>

#include "kernels/base/equal_spans.hpp"

namespace brickwork {
namespace {

// Costs, in FMAs of a step over k: of an instruction that hides behind the FMAs; of a vector of B that is not in L1; of
// starting a group of tiles, for 64 steps.
constexpr double kHidden = 0.5, kFar = 0.5, kBegin = 2;

// A step over k takes as long as its FMAs, its loads of A and B, or the FMAs that must be in flight, whichever are
// most.
double cost_of_tile(int rows, int vecs, PlaceOfB b) {
  constexpr int kInFlight = 10;
  return std::max({kInFlight, rows * vecs, rows + vecs}) + kHidden * (rows + vecs) +
         (b == PlaceOfB::far ? kFar * vecs : 0);
}

}  // namespace

RowCut::RowCut(int vecs, const std::array<int, kWidest>& most_rows, PlaceOfB b) : vecs_(vecs), most_rows_(most_rows) {
  const int tallest = *std::max_element(most_rows_.begin(), most_rows_.begin() + std::min(vecs, kWidest));
  for (int height = 1; height <= tallest; ++height) {
    const EqualSpans panels(vecs_, group(1, height).vecs);
    double cost = 0;
    for (int i = 0; i < panels.count; ++i) cost += cost_of_tile(height, panels[i].size, b);
    cost_.push_back(cost);
    begin_.push_back(kBegin * panels.count);
    if (cost * best_height_ <= cost_[static_cast<std::size_t>(best_height_ - 1)] * height) best_height_ = height;
  }
  for (int rows = 0; rows <= kListed; ++rows) listed_.push_back(best(rows));
}

RowCut::Groups RowCut::operator()(int rows) const {
  const int more = rows > kListed ? (rows - kListed + best_height_ - 1) / best_height_ : 0;
  Groups groups = listed_[static_cast<std::size_t>(rows - more * best_height_)];
  groups[0] = group(more, best_height_);
  return groups;
}

RowGroup RowCut::group(int tiles, int tile_rows) const {
  int vecs = std::min(vecs_, kWidest);
  while (most_rows_[static_cast<std::size_t>(vecs - 1)] < tile_rows) --vecs;
  return {tiles, tile_rows, vecs};
}

RowCut::Groups RowCut::best(int rows) const {
  Groups groups{};
  double least = std::numeric_limits<double>::infinity();
  const auto cost_of = [&](int tiles, int height) {
    const auto i = static_cast<std::size_t>(height - 1);
    return tiles > 0 ? begin_[i] + tiles * cost_[i] : 0;
  };
  for (int tall = static_cast<int>(cost_.size()); tall >= 1; --tall) {
    for (int low = tall - 1; low >= 0; --low) {
      for (int low_tiles = 0; low_tiles * low <= rows && (low > 0 || low_tiles == 0); ++low_tiles) {
        const int rest = rows - low_tiles * low;
        if (rest % tall != 0) continue;
        const int tall_tiles = rest / tall;
        const double cost = cost_of(tall_tiles, tall) + cost_of(low_tiles, low);
        if (cost >= least) continue;
        least = cost;
        groups = {RowGroup{}, group(tall_tiles, tall), group(low_tiles, std::max(low, 1))};
      }
    }
  }
  return groups;
}

}  // namespace brickwork
