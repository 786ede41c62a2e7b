#include "baselines/contender/peak_memory.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace brickwork {
namespace {

std::atomic<std::int64_t> forgotten_peak = 0;  // the highest of those that were reset

// The bytes that the line "VmHWM:    2144 kB" of the process's status says.
std::optional<double> bytes_in(const std::filesystem::path& process, std::string_view name) {
  std::ifstream status(process / "status");
  double kilobytes = 0;
  for (std::string word; status >> word;) {
    if (word == name && status >> kilobytes) return 1024 * kilobytes;
  }
  return std::nullopt;
}

// Makes the peak the memory of now.
bool reset_peak(const std::filesystem::path& process) {
  std::ofstream file(process / "clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

}  // namespace

PeakMemory::PeakMemory(std::filesystem::path process) : process_(std::move(process)) {
  malloc_trim(0);
  forgotten_peak = peak_of_process();
  reset_ = reset_peak(process_);
  before_ = bytes_in(process_, "VmRSS:");
}

std::optional<double> PeakMemory::gained() const {
  const auto peak = bytes_in(process_, "VmHWM:");
  if (!reset_ || !before_ || !peak) return std::nullopt;
  return std::max(0.0, *peak - *before_);
}

std::int64_t peak_of_process() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::max(forgotten_peak.load(), std::int64_t{usage.ru_maxrss} * 1024);
}

}  // namespace brickwork
