#include "baselines/contender/peak_memory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace brickwork {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

void touch(std::size_t bytes) {
  std::vector<char> memory(bytes);
  for (std::size_t i = 0; i < memory.size(); i += 4096) *static_cast<volatile char*>(&memory[i]) = 1;
}

bool system_says() { return PeakMemory().gained().has_value(); }

// A folder in place of /proc/self.
std::filesystem::path process(const std::string& status) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "peak_memory_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "status") << status;
  return folder;
}

TEST(PeakMemory, CountsMemoryThatIsGivenBackAgain) {
  if (!system_says()) GTEST_SKIP() << "this system does not say how much memory a process has";
  touch(100 * kMegabyte);  // before: it does not count
  const PeakMemory memory;
  touch(30 * kMegabyte);
  touch(20 * kMegabyte);
  EXPECT_NEAR(*memory.gained(), 30.0 * kMegabyte, 3.0 * kMegabyte);
}

TEST(PeakMemory, CountsMemoryThatTheHeapHadKept) {
  if (!system_says()) GTEST_SKIP() << "this system does not say how much memory a process has";
  const auto touch_in_pieces = [] {
    std::vector<std::vector<char>> pieces(10000, std::vector<char>(1000, 1));
    return pieces.size();
  };
  touch_in_pieces();
  const PeakMemory memory;
  touch_in_pieces();
  EXPECT_GT(*memory.gained(), 8.0 * kMegabyte);
}

TEST(PeakMemory, OfTheProcessIsNotForgotten) {
  touch(200 * kMegabyte);
  const std::int64_t peak = peak_of_process();
  EXPECT_GT(static_cast<double>(peak), 200.0 * kMegabyte);
  PeakMemory first;
  PeakMemory second;
  EXPECT_GE(peak_of_process(), peak);
}

TEST(PeakMemory, IsThePeakMinusWhatWasThereBefore) {
  const auto folder = process("VmHWM:\t    900 kB\nVmRSS:\t    600 kB\n");
  const PeakMemory memory(folder);
  EXPECT_EQ(*memory.gained(), 300.0 * 1024);
  std::ifstream reset(folder / "clear_refs");
  EXPECT_EQ(reset.get(), '5');
}

TEST(PeakMemory, IsUnknownIfTheSystemDoesNotSay) {
  EXPECT_FALSE(PeakMemory("/no/such/folder").gained());
  EXPECT_FALSE(PeakMemory(process("VmRSS: 600 kB\n")).gained());
  const auto folder = process("VmHWM: 900 kB\nVmRSS: 600 kB\n");
  std::filesystem::create_directory(folder / "clear_refs");  // cannot be written to
  EXPECT_FALSE(PeakMemory(folder).gained()) << "the peak may be one of long ago";
}

}  // namespace
}  // namespace brickwork
