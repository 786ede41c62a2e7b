#include "primitives/planning/tuning/tuning_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "primitives/planning/machine/machine.hpp"
#include "primitives/planning/tuning/calibration.hpp"
#include "primitives/planning/tuning/kept_file.hpp"
#include "primitives/planning/tuning/tuning.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;

// The machine and the program that a stored tuning is for. It has the default and the words, as a tuning that was found
// with others knows nothing of newer choices.
nlohmann::ordered_json owner(std::string_view isa, std::string_view version) {
  nlohmann::ordered_json words = nlohmann::ordered_json::array();
  for (const auto& word : Tuning::table().words) words.push_back(word.expected);
  return {{"cpu", machine().cpu},      {"cpu_id", machine().cpu_id}, {"isa", isa}, {"default", to_string(SimdTuning{})},
          {"words", std::move(words)}, {"version", version}};
}

SimdTuning with_facts(SimdTuning tuning, Isa isa) {
  // B may fill four fifths of L1; A and C have the rest.
  if (const std::int64_t l1 = machine().l1d_bytes; l1 > 0) tuning.kept = std::min(l1 / 1024 * 4 / 5, kMostInTuning);
  tuning.few_registers = isa == Isa::avx2;
  return tuning;
}

}  // namespace

std::optional<fs::path> tuning_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return fs::path(cache) / "brickwork";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return fs::path(home) / ".cache" / "brickwork";
  }
  return std::nullopt;
}

ChosenTuning find_tuning(std::string_view asked, Isa isa, std::string_view version,
                         const std::optional<fs::path>& folder,
                         const std::function<SimdTuning(const SimdTuning&)>& calibrate_it) {
  const auto isas = brgemm_backend(Backend::simd).isas;
  if (isa == Isa::best && !isas.empty()) isa = isas.front();
  const SimdTuning untuned = with_facts({}, isa);
  const auto by_default = [&](std::string warning) {
    return ChosenTuning{.tuning = untuned, .from = "the default", .warning = std::move(warning)};
  };
  if (asked == "default") return {.tuning = untuned, .from = "the default, as asked for", .warning = {}};
  if (!asked.empty() && asked != "calibrate") {
    return {.tuning = with_facts(parse_tuning(asked), isa), .from = "as asked for", .warning = {}};
  }
  if (std::ranges::find(isas, isa) == isas.end()) return by_default({});  // rows of results say that the ISA is missing
  if (!folder) {
    return by_default(
        "there is no folder in which to keep a calibration, so the default tuning is used: set HOME or XDG_CACHE_HOME");
  }

  const fs::path file = *folder / fmt::format("tuning-{}.json", to_string(isa));
  const auto mine = owner(to_string(isa), version);
  if (std::error_code error; asked.empty() && fs::exists(file, error)) {
    try {
      std::ifstream in(file);
      const auto kept = nlohmann::ordered_json::parse(in);
      if (kept.at("for") == mine) {
        return {.tuning = with_facts(parse_tuning(kept.at("tuning").get<std::string>()), isa),
                .from = "kept from an earlier calibration",
                .warning = {}};
      }
    } catch (const std::exception&) {
      return by_default(
          fmt::format("{} contains no tuning, so the default tuning is used: delete the file, or calibrate again with "
                      "--tuning calibrate",
                      file.string()));
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const SimdTuning tuning = calibrate_it ? calibrate_it(untuned) : calibrate(untuned, isa);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (const nlohmann::ordered_json kept{{"for", mine}, {"tuning", to_string(tuning)}};
      !replace_file(file, kept.dump(2) + '\n')) {
    return by_default(
        fmt::format("{} cannot be written, so the default tuning is used, as the next run would not find a "
                    "calibration: make the folder writable, or set XDG_CACHE_HOME",
                    file.string()));
  }
  return {.tuning = tuning, .from = fmt::format("calibrated in {:.1f} s", seconds), .warning = {}};
}

}  // namespace brickwork
