// Stores a machine's tuning in a file, so that later runs need not calibrate.
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
  std::string from;     // for people: "calibrated in 1.1 s"; contains no path
  std::string warning;  // why the default is used instead of a calibration; empty otherwise
};

// $XDG_CACHE_HOME/brickwork or ~/.cache/brickwork; nullopt if neither is known.
std::optional<std::filesystem::path> tuning_folder();

// `asked` is a tuning's text, "default", "calibrate" (calibrates and stores the result), or empty. If it is empty, the
// stored tuning of this CPU, ISA and version is used, or a calibration is made and stored. If the file cannot be read
// or written, the default is returned with a warning. Facts of the core (SimdTuning::kept, few_registers) are always
// set. Throws std::invalid_argument if the text is not a tuning.
ChosenTuning find_tuning(std::string_view asked, Isa, std::string_view version,
                         const std::optional<std::filesystem::path>& folder = tuning_folder(),
                         const std::function<SimdTuning(const SimdTuning& untuned)>& calibrate_it = {});

}  // namespace brickwork
