#include "brgemm_simd.hpp"

#include <fmt/format.h>

#include <utility>

#include "brgemm_backends.hpp"
#include "generated_tiles.hpp"
#include "hwy/highway.h"

namespace brickwork {
namespace {

// What this build's compiler and this machine both have, best first. The SSE targets are too slow to be worth a row,
// and SVE vectors, whose length is not known to the compiler, cannot be kept in the arrays that hold a register tile.
// Asked once: Highway asks the CPU every time, and a virtual machine takes a tenth of a millisecond to answer.
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

// Panels of the brick's columns.
std::vector<Panel> cut(const BrgemmShape& shape, const BrgemmHints& hints, const SimdIsa& isa) {
  auto panels = isa.cut(shape, hints.tuning);
  if (isa.isa == Isa::avx512 && hints.tuning.code == TileCode::generated) {
    for (Panel& panel : panels) panel.generated = generate_tiles(shape, hints, panel);
  }
  return panels;
}

// The first `rows` rows of a panel in register tiles of near-equal height, 8 rows as 4 + 4: two bands at most.
template <class Visit>
void each_band(const Panel& panel, int rows, const Access& access, Visit&& visit) {
  if (rows == 0) return;
  const EqualSpans spans(rows, rows <= panel.whole_rows ? panel.whole_rows : panel.most_rows);
  const auto visit_tiles = [&](int first, int end) {
    if (first == end) return;
    const Span tile = spans[first];
    visit(Band{.run = panel.generated ? &run_generated : panel.with_rows[tile.size - 1],
               .row = tile.begin,
               .column = panel.column,
               .tiles = end - first,
               .tile_rows = tile.size,
               .last_lanes = panel.last_lanes,
               .access = access,
               .generated = panel.generated.get()});
  };
  visit_tiles(0, spans.larger);
  visit_tiles(spans.larger, spans.pieces);
}

// A member whose rows are live but for several at an end gets the tile that leaves out one of them: the others are
// zeros and do no harm.
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
                .ahead = hints.tuning.ahead * shape.ldb * static_cast<std::int64_t>(sizeof(float)),
                .kept = hints.tuning.kept * 1024},
        panels_(cut(shape, hints, isa)),
        zeros_between_(sets_zeros_between(shape, hints) &&
                       std::ranges::all_of(panels_, [](const Panel& p) { return p.generated != nullptr; })) {
    const ZeroRows& zeros = hints.zero_rows;
    for (const Panel& panel : panels_) {
      each_band(panel, shape.m, access_, [&](Band band) {
        band.period = zeros.period;
        for (int tile = 0; tile < band.tiles; ++tile) {
          const Span rows{static_cast<int>(band.row) + tile * band.tile_rows, band.tile_rows};
          for (int place = 0; place < zeros.period; ++place)
            band.live_rows.push_back(find_live_rows(rows, place, zeros));
        }
        if (band.generated != nullptr) band.generated->prepare(band.tile_rows);
        bands_.push_back(std::move(band));
      });
    }
  }

  std::string_view isa() const override { return to_string(isa_); }

 private:
  void run(const BrgemmCall& call) const override {
    if (rows_of(call) == shape().m) {
      for (const Band& band : bands_) band.run(shape(), call, band);
    } else {
      for (const Panel& panel : panels_)
        each_band(panel, call.rows, access_, [&](const Band& band) { band.run(shape(), call, band); });
    }
    if (is_curve(call.epilogue.activation)) {
      apply_epilogue(static_cast<float*>(call.c), rows_of(call), shape().n, shape().ldc, call.epilogue.without_sum());
    }
  }

  bool sets_zeros(const BrgemmCall& call) const override {
    return zeros_between_ && access_.streams(static_cast<const float*>(call.c), shape(), call.epilogue, kLanes);
  }

  Isa isa_;
  Access access_;
  std::vector<Panel> panels_;
  bool zeros_between_;
  std::vector<Band> bands_;  // of all m rows
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
