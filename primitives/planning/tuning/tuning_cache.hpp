// Keeps a machine's tuning from one run to the next.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

struct ChosenTuning {
  SimdTuning tuning;
  std::string from;     // for people: "calibrated in 1.1 s", with no path of the machine
  std::string warning;  // where the default had to do; empty otherwise
};

// $XDG_CACHE_HOME/brickwork or ~/.cache/brickwork; nothing where neither is known.
std::optional<std::filesystem::path> tuning_folder();

// `asked` is a tuning's text, "default", "calibrate" (anew), or empty: that of an earlier calibration of this CPU, ISA
// and version, or else a calibration that is kept. A file that cannot be read or written gives the default and a
// warning. The facts of the core are in it, whatever is asked. Throws std::invalid_argument on a text that is no
// tuning.
ChosenTuning find_tuning(std::string_view asked, Isa, std::string_view version,
                         const std::optional<std::filesystem::path>& folder = tuning_folder(),
                         const std::function<SimdTuning(const SimdTuning& untuned)>& calibrate_it = {});

}  // namespace brickwork
