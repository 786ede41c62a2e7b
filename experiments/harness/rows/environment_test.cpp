#include "experiments/harness/rows/environment.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace brickwork {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> runtimes(const std::string& maps) {
  std::istringstream in(maps);
  return openmp_runtimes(in);
}

TEST(OpenmpRuntimes, AreFoundByTheirFileNames) {
  EXPECT_THAT(runtimes("7f0a-7f0b r--p 00000000 fe:00 12   /usr/lib/libgomp.so.1.0.0\n"
                       "7f0b-7f0c r-xp 00001000 fe:00 12   /usr/lib/libgomp.so.1.0.0\n"
                       "7f0c-7f0d r-xp 00000000 fe:00 13   /opt/with spaces/libiomp5.so\n"
                       "7f0d-7f0e r-xp 00000000 fe:00 14   /opt/libgomp/libopenblas.so\n"
                       "7f0e-7f0f r-xp 00000000 fe:00 15   /usr/lib/llvm/libomp.so.5\n"
                       "7ffc-7ffd rw-p 00000000 00:00 0    [stack]\n"),
              ElementsAre("/opt/with spaces/libiomp5.so", "/usr/lib/libgomp.so.1.0.0", "/usr/lib/llvm/libomp.so.5"));
  EXPECT_THAT(runtimes(""), ElementsAre());
}

// A file with a runtime's name, mapped into this process like a library.
class MappedRuntime {
 public:
  explicit MappedRuntime(const std::filesystem::path& path) {
    std::ofstream(path) << "no library\n";
    const int file = open(path.c_str(), O_RDONLY);
    at_ = mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
  }
  MappedRuntime(const MappedRuntime&) = delete;
  MappedRuntime& operator=(const MappedRuntime&) = delete;
  ~MappedRuntime() { munmap(at_, 1); }

 private:
  void* at_;
};

TEST(EnvironmentWarnings, NameAllOfSeveralOpenmpRuntimes) {
  const auto any = Contains(HasSubstr("OpenMP runtimes share the cores"));
  EXPECT_THAT(environment_warnings({}), Not(any));
  std::ifstream maps("/proc/self/maps");
  const auto loaded = openmp_runtimes(maps);
  ASSERT_EQ(loaded.size(), 1U);
  const auto path = std::filesystem::path(testing::TempDir()) / "libiomp5.so";
  {
    const MappedRuntime another(path);
    EXPECT_THAT(environment_warnings({}),
                Contains(AllOf(HasSubstr("2 OpenMP runtimes share the cores and disturb each other: "),
                               HasSubstr(path.string()), HasSubstr(loaded.front()))));
  }
  EXPECT_THAT(environment_warnings({}), Not(any));
}

}  // namespace
}  // namespace brickwork
