#include "primitives/planning/tuning/tuning.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace brickwork {

const SizeTable<Tuning>& Tuning::table() {
  using T = Tuning;
  const auto member = [](std::int64_t SimdTuning::*m) { return static_cast<std::int64_t T::*>(m); };
  static const SizeTable<T> table{
      .kind = "tuning",
      .sizes = {{.key = "ahead=", .column = "ahead", .member = member(&T::ahead), .least = 0},
                {.key = "few=", .column = "few", .member = member(&T::few), .least = 0}},
      .words = {choice("spread=registers, spread=shuffled or spread=memory",
                       {"spread=registers", "spread=shuffled", "spread=memory"}, static_cast<SpreadA T::*>(&T::spread)),
                choice("tiles=tall or tiles=wide", {"tiles=tall", "tiles=wide"}, static_cast<FarTiles T::*>(&T::tiles)),
                choice("far=cached, far=prefetch or far=stream", {"far=cached", "far=prefetch", "far=stream"},
                       static_cast<CAccess T::*>(&T::far)),
                choice("src=runs, src=blocks or src=lines", {"src=runs", "src=blocks", "src=lines"},
                       static_cast<FarSrc T::*>(&T::src)),
                choice("narrow or wide", {"wide", "narrow"}, static_cast<bool T::*>(&T::narrow)),
                choice("reduction=deep or reduction=shallow", {"reduction=deep", "reduction=shallow"},
                       static_cast<Reduction T::*>(&T::reduction)),
                choice("pixels=few or pixels=many", {"pixels=few", "pixels=many"},
                       static_cast<PixelsOfCall T::*>(&T::pixels)),
                choice("sums=whole or sums=parts", {"sums=whole", "sums=parts"}, static_cast<Sums T::*>(&T::sums)),
                choice("sweep=cached, sweep=stream or sweep=stream-l2",
                       {"sweep=cached", "sweep=stream", "sweep=stream-l2"}, static_cast<Sweep T::*>(&T::sweep))},
      .separator = ' ',
      .default_words = true};
  return table;
}

SimdTuning parse_tuning(std::string_view text) {
  const auto tuning = parse_words<Tuning>(text);
  check_sizes(tuning, kMostInTuning, std::to_string(kMostInTuning));
  return tuning;
}

std::string to_string(const SimdTuning& tuning) { return to_string<Tuning>(Tuning{tuning}); }

}  // namespace brickwork
