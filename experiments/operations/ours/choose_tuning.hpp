// Chooses the tuning of our simd brick that the command line asks for. The first run on a CPU calibrates it: that takes
// two to four seconds.
#pragma once
#include "build_info.hpp"
#include "experiments/harness/terminal/options.hpp"
#include "primitives/planning/tuning/tuning.hpp"
#include "primitives/planning/tuning/tuning_cache.hpp"

namespace brickwork {

// Throws std::invalid_argument if the text is not a tuning.
inline void choose_tuning(Options& options) {
  const ChosenTuning chosen = find_tuning(options.tuning_text, options.isa, build_info::version);
  options.tuning = chosen.tuning;
  options.tuning_text = to_string(chosen.tuning);
  options.tuning_from = chosen.from;
  options.tuning_warning = chosen.warning;
}

}  // namespace brickwork
