#include "kernels/cpu/simd/brgemm_simd.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "hwy/highway.h"
#include "kernels/brgemm/brgemm_backends.hpp"
#include "kernels/cpu/generated/generated_tiles.hpp"
#include "kernels/cpu/simd/row_cut.hpp"

namespace brickwork {
namespace {

// ISAs that both this build's compiler and this machine have, best first. SSE is too slow to be worth a row. SVE
// vectors cannot lie in the arrays that hold a register tile, as the compiler does not know their length. Computed
// once: Highway asks the CPU every time, and a virtual machine takes 0.1 ms to answer.
const std::vector<SimdIsa>& usable_isas() {
  static const std::vector<SimdIsa> usable = [] {
    std::vector<SimdIsa> found;
    const std::int64_t targets = hwy::SupportedTargets();
    for (const SimdIsa& isa : {simd_avx512(), simd_avx2(), simd_neon()}) {
      if (targets & isa.target) found.push_back(isa);
    }
    return found;
  }();
  return usable;
}

void run_generated(const BrgemmShape&, const BrgemmCall& call, const Band& band) { band.generated->run(call, band); }

// Panels of the brick's columns. Equal panels share their generated tiles: four copies of the code, each at the same
// place in its page, cost 80 cycles a tile (Zen 2).
std::vector<Panel> cut(const BrgemmShape& shape, const BrgemmHints& hints, const SimdIsa& isa, int widest) {
  auto panels = isa.cut(shape, widest);
  const bool has_generator = isa.isa == Isa::avx512 || isa.isa == Isa::avx2;
  if (has_generator && hints.code == TileCode::generated) {
    for (auto panel = panels.begin(); panel != panels.end(); ++panel) {
      const auto same = std::find_if(panels.begin(), panel, [&](const Panel& other) {
        return other.vecs == panel->vecs && other.last_lanes == panel->last_lanes;
      });
      panel->generated = same != panel ? same->generated : generate_tiles(shape, hints, *panel, isa.lanes);
    }
  }
  return panels;
}

// `rows` rows of a panel from `first_row` on, in register tiles of near-equal height (8 rows as 4 + 4): at most two
// bands.
template <class Visit>
void each_band(const Panel& panel, int first_row, int rows, const Access& access, Visit&& visit) {
  if (rows == 0) return;
  const EqualSpans spans(rows, rows <= panel.whole_rows ? panel.whole_rows : panel.most_rows);
  const auto visit_tiles = [&](int first, int end) {
    if (first == end) return;
    const Span tile = spans[first];
    visit(Band{.run = panel.generated ? &run_generated : panel.with_rows[tile.size - 1],
               .row = first_row + tile.begin,
               .column = panel.column,
               .tiles = end - first,
               .tile_rows = tile.size,
               .tiles_of_call = end - first,
               .last_lanes = panel.last_lanes,
               .access = access,
               .generated = panel.generated.get()});
  };
  visit_tiles(0, spans.larger);
  visit_tiles(spans.larger, spans.count);
}

// If several rows at one end are zero, the member gets the tile that leaves out one of them; adding the other zero rows
// does no harm.
LiveRows find_live_rows(Span rows, int place, const ZeroRows& zeros) {
  if (!zeros.zero(rows.begin, place)) return zeros.zero(rows.end() - 1, place) ? LiveRows::but_last : LiveRows::all;
  for (int row = rows.begin + 1; row < rows.end(); ++row) {
    if (!zeros.zero(row, place)) return LiveRows::but_first;
  }
  return LiveRows::none;
}

class SimdBrgemm final : public BrgemmKernel {
 public:
  SimdBrgemm(const BrgemmShape& shape, const BrgemmHints& hints, const SimdIsa& isa)
      : BrgemmKernel(shape),
        isa_(isa.isa),
        access_{.stream = hints.c == CAccess::stream && shape.beta == 0,
                .ahead = rows_of_b_ahead(hints.tuning, shape.m),
                .kept = hints.tuning.kept * 1024},
        lanes_(isa.lanes) {
    const int vecs = (shape.n + lanes_ - 1) / lanes_;
    for (int widest = isa.few_registers ? 1 : RowCut::kWidest; widest <= RowCut::kWidest; ++widest)
      panels_[widest - 1] = cut(shape, hints, isa, widest);
    if (isa.few_registers) {
      std::array<int, RowCut::kWidest> most_rows{};
      for (int widest = 1; widest <= RowCut::kWidest; ++widest)
        most_rows[widest - 1] = panels_[widest - 1].front().most_rows;
      row_cuts_.emplace_back(vecs, most_rows, PlaceOfB::in_l1);
      if (hints.tuning.tiles == FarTiles::tall) row_cuts_.emplace_back(vecs, most_rows, PlaceOfB::far);
    }
    bands_.resize(std::max<std::size_t>(1, row_cuts_.size()));
    for (std::size_t i = 0; i < bands_.size(); ++i) {
      int tiles = 0;
      each_band(shape.m, i, [&](Band band) {
        band.tiles_before = std::exchange(tiles, tiles + band.tiles);
        bands_[i].push_back(prepared(std::move(band), hints.zero_rows));
      });
      for (Band& band : bands_[i]) band.tiles_of_call = tiles;
    }
  }

  std::string_view isa() const override { return to_string(isa_); }

 private:
  void run(const BrgemmCall& call) const override {
    const std::size_t i = index_of_cut(call);
    if (rows_of(call) == shape().m) {
      for (const Band& band : bands_[i]) band.run(shape(), call, band);
    } else {
      each_band(call.rows, i, [&](const Band& band) { band.run(shape(), call, band); });
    }
    if (is_curve(call.epilogue.activation)) {
      apply_epilogue(static_cast<float*>(call.c), rows_of(call), shape().n, shape().ldc, call.epilogue.without_sum());
    }
  }

  std::size_t index_of_cut(const BrgemmCall& call) const {
    return row_cuts_.size() < 2 || access_.keeps_b(shape(), call.batch.size) ? 0 : 1;
  }

  static Band prepared(Band band, const ZeroRows& zeros) {
    band.period = zeros.period;
    for (int tile = 0; tile < band.tiles; ++tile) {
      const Span rows{static_cast<int>(band.row) + tile * band.tile_rows, band.tile_rows};
      for (int place = 0; place < zeros.period; ++place) band.live_rows.push_back(find_live_rows(rows, place, zeros));
    }
    if (band.generated != nullptr) band.generated->prepare(band.tile_rows);
    return band;
  }

  template <class Visit>
  void each_band(int rows, std::size_t cut, Visit&& visit) const {
    if (row_cuts_.empty()) {
      for (const Panel& panel : panels_.back()) brickwork::each_band(panel, 0, rows, access_, visit);
      return;
    }
    int first = 0;
    for (const RowGroup& group : row_cuts_[cut](rows)) {
      if (group.tiles == 0) continue;
      for (const Panel& panel : panels_[group.vecs - 1])
        brickwork::each_band(panel, first, group.rows(), access_, visit);
      first += group.rows();
    }
  }

  Isa isa_;
  Access access_;
  int lanes_;
  std::array<std::vector<Panel>, RowCut::kWidest> panels_;  // [w - 1]: at most w vectors wide
  // Few registers: one cut per place of B, or one for all. Many registers: empty, as each panel cuts its rows itself.
  std::vector<RowCut> row_cuts_;
  std::vector<std::vector<Band>> bands_;  // for all m rows; one entry per cut, at least one
};

}  // namespace

Result<BrgemmKernelPtr> make_simd_brgemm(const BrgemmShape& shape, const BrgemmHints& hints, Isa isa) {
  const auto& usable = usable_isas();
  for (const SimdIsa& entry : usable) {
    if (isa == Isa::best || isa == entry.isa) return BrgemmKernelPtr(std::make_shared<SimdBrgemm>(shape, hints, entry));
  }
  std::string have;
  for (const SimdIsa& entry : usable) have += fmt::format("{}{}", have.empty() ? "" : ", ", to_string(entry.isa));
  return Result<BrgemmKernelPtr>::unsupported(fmt::format("the simd backend has no {} on this machine; it has: {}",
                                                          to_string(isa), have.empty() ? "none" : have));
}

BackendInfo simd_info() {
  BackendInfo info{.backend = Backend::simd,
                   .version = fmt::format("Highway {}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH),
                   .isas = {},
                   .absent_reason = {}};
  if (const std::string& generator = tile_generator_version(); !generator.empty()) info.version += ", " + generator;
  for (const SimdIsa& entry : usable_isas()) info.isas.push_back(entry.isa);
  if (info.isas.empty()) info.absent_reason = "the simd backend needs AVX2, AVX-512 or NEON; this machine has none";
  return info;
}

}  // namespace brickwork
