#include "baselines/tvm/tuned_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "baselines/tvm/python_script.hpp"
#include "tvm_build.hpp"

namespace brickwork::metaschedule {
namespace {

namespace fs = std::filesystem;

// A full vector of AVX-512 or AVX2 where one fits, otherwise the largest divisor, as in TVM's own schedules for x86.
std::int64_t block_of(std::int64_t channels) {
  constexpr std::int64_t kVector = 16;
  if (channels % kVector == 0) return kVector;
  if (channels % (kVector / 2) == 0) return kVector / 2;
  std::int64_t block = std::min(channels, kVector);
  while (channels % block != 0) --block;
  return block;
}

nlohmann::json sizes_of(const ConvProblem& p) {
  const Blocks blocks(p);
  return {{"N", p.N},
          {"C", p.C / blocks.c},
          {"K", p.K / blocks.k},
          {"H", p.H + 2 * p.pad_h},
          {"W", p.W + 2 * p.pad_w},
          {"P", p.P()},
          {"Q", p.Q()},
          {"R", p.R},
          {"S", p.S},
          {"stride_h", p.stride_h},
          {"stride_w", p.stride_w},
          {"bc", blocks.c},
          {"bk", blocks.k}};
}

// Code of another version, or of an earlier script, is not found.
fs::path place_of(const ConvProblem& p, int threads, const Tuning& tuning) {
  std::string name = fmt::format("{} {} threads {} trials", to_string(p), threads, tuning.trials);
  std::ranges::replace(name, ' ', '_');
  return tuning.folder / fmt::format("{}-{:016x}", kTvmVersion, std::hash<std::string_view>{}(kTuneScript)) / name;
}

fs::path beside(fs::path place, const char* suffix) { return place += suffix; }

void tune(const ConvProblem& p, int threads, const Tuning& tuning, const fs::path& place) {
  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  if (error) {
    throw std::runtime_error(
        fmt::format("{} cannot be made, and tuned code is kept there: make its folder writable, or set XDG_CACHE_HOME",
                    place.parent_path().string()));
  }
  const nlohmann::json task{{"sizes", sizes_of(p)},
                            {"bias", p.epilogue.bias},
                            {"residual", p.epilogue.residual},
                            {"relu", p.epilogue.activation == Activation::relu},
                            {"trials", tuning.trials},
                            {"threads", threads},
                            {"library", beside(place, ".so").string()},
                            {"record", beside(place, ".json").string()}};
  const fs::path log = beside(place, ".log");
  run_script(kTuneScript, task.dump(),
             {{"PYTHONPATH", kTvmFolder}, {"TVM_NUM_THREADS", std::to_string(threads)}, {"TVM_BIND_THREADS", "0"}}, log,
             tuning.stopped);
  fs::remove(log, error);
}

}  // namespace

int number_of_trials(const char* text) {
  constexpr int kMost = 100000;
  if (text == nullptr) return Tuning{}.trials;
  const std::string_view word = text;
  int trials = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), trials);
  if (error != std::errc() || end != word.data() + word.size() || trials < 1 || trials > kMost) {
    throw std::invalid_argument(
        fmt::format("BRICKWORK_TVM_TRIALS is '{}': it must be a whole number from 1 to {}", text, kMost));
  }
  return trials;
}

Blocks::Blocks(const ConvProblem& p) : c(block_of(p.C)), k(block_of(p.K)) {}

TunedCode tuned_code(const ConvProblem& p, int threads, const Tuning& tuning) {
  const fs::path place = place_of(p, threads, tuning), record = beside(place, ".json");
  if (!fs::exists(record)) tune(p, threads, tuning, place);
  try {
    std::ifstream in(record);
    const auto kept = nlohmann::json::parse(in);
    return {.library = beside(place, ".so"),
            .seconds = kept.at("seconds").get<double>(),
            .plan = fmt::format("trials={} {}", tuning.trials, kept.at("plan").get<std::string>())};
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error(fmt::format("{} is no record of tuned code: delete the file", record.string()));
  }
}

std::string version() { return kTvmVersion; }

}  // namespace brickwork::metaschedule
