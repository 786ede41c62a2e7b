// How much memory the process gains at most while something runs: its resident pages at their peak, minus those before.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace brickwork {

class PeakMemory {
 public:
  // Begins to observe. The heap's free memory goes back to the system first: otherwise an allocation that reuses it
  // would seem to take nothing. `process` is the folder to read instead of /proc/self, for tests.
  explicit PeakMemory(std::filesystem::path process = "/proc/self");

  // In bytes, since the object was made, or the last one that was made after it. Nullopt if the system does not say.
  // Linux counts the pages of each core in batches: the number may be off by some hundred kilobytes.
  std::optional<double> gained() const;

 private:
  std::filesystem::path process_;
  bool reset_;
  std::optional<double> before_;
};

// The most bytes that this process has had so far. The system alone no longer knows once a PeakMemory was made.
std::int64_t peak_of_process();

}  // namespace brickwork
