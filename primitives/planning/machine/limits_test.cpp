#include "primitives/planning/machine/limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>

namespace brickwork {
namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::infinity();

// Tests read the files of a folder of their own instead of "/".
class Limits : public testing::Test {
 protected:
  Limits() { fs::remove_all(root_); }

  void file(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  // A process in a group of version 1, in the hierarchies of cpu and memory, each mounted from `top` on.
  void process(const std::string& group, const std::string& top = "/") const {
    file("proc/self/cgroup", "9:name=systemd:/x\n5:memory:" + group + "\n4:cpu,cpuacct:" + group + "\n3:cpuset:/set\n");
    file("proc/self/mountinfo",
         "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
         "32 31 0:29 " +
             top +
             " /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
             "34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
             "35 31 0:32 " +
             top + " /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n");
  }
  // A process in a group of version 2, mounted from `top` on.
  void process_v2(const std::string& group, const std::string& top = "/") const {
    file("proc/self/cgroup", "0::" + group + "\n");
    file("proc/self/mountinfo",
         "31 23 0:28 / / rw - ext4 /dev/vda rw\n"
         "41 31 0:38 " +
             top + " /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
  }

  void quota(const std::string& group, const std::string& quota, const std::string& period = "100000\n") const {
    file("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_quota_us", quota);
    file("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_period_us", period);
  }

  const fs::path root_ = fs::path(testing::TempDir()) /
                         (std::string("limits_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Limits, WithoutGroupsThereIsNoLimit) {
  EXPECT_EQ(cpu_quota(root_), kNone);
  EXPECT_EQ(available_memory(root_), kNone);
  process("/a");
  EXPECT_EQ(cpu_quota(root_), kNone) << "nothing is mounted";
}

TEST_F(Limits, ReadsAQuotaOfVersion1) {
  process("/a");
  quota("", "-1\n");
  quota("/a", "150000\n");
  EXPECT_EQ(cpu_quota(root_), 1.5);
  quota("/a", "-1\n");
  EXPECT_EQ(cpu_quota(root_), kNone);
  quota("/a", "50000\n", "25000\n");
  EXPECT_EQ(cpu_quota(root_), 2);
}

TEST_F(Limits, ReadsAQuotaOfVersion2) {
  process_v2("/a");
  file("sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root_), kNone);
  file("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 0.5);
}

TEST_F(Limits, AGroupAboveMayHaveTheSmallestQuota) {
  process("/a/b/c");
  quota("/a/b/c", "400000");
  quota("/a/b", "-1");
  quota("/a", "100000");
  quota("", "300000");
  quota("/other", "1000");
  EXPECT_EQ(cpu_quota(root_), 1);
  quota("/a", "-1");
  EXPECT_EQ(cpu_quota(root_), 3);
  process_v2("/a/b");
  file("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  file("sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 2.5);
}

// In a container the mount's root is the container's group, or a namespace hides the groups above.
TEST_F(Limits, AMountMayBeginAtTheGroup) {
  process("/docker/1234/part", "/docker/1234");
  quota("/part", "-1");
  quota("", "200000");
  EXPECT_EQ(cpu_quota(root_), 2);
  process("/docker/12345", "/docker/1234");
  EXPECT_EQ(cpu_quota(root_), kNone) << "another's group";
  process_v2("/docker/1234", "/docker/1234");
  file("sys/fs/cgroup/cpu.max", "100000 100000");
  EXPECT_EQ(cpu_quota(root_), 1);
  process_v2("/../../elsewhere");
  EXPECT_EQ(cpu_quota(root_), 1);
}

TEST_F(Limits, BothVersionsCount) {
  process("/a");
  quota("/a", "300000");
  std::ofstream(root_ / "proc/self/cgroup", std::ios::app) << "0::/b:c\n";
  std::ofstream(root_ / "proc/self/mountinfo", std::ios::app)
      << "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(cpu_quota(root_), 3);
  file("sys/fs/cgroup/unified/b:c/cpu.max", "200000 100000");
  EXPECT_EQ(cpu_quota(root_), 2);
}

TEST_F(Limits, NonsenseSetsNoLimit) {
  process_v2("/a");
  for (const char* text : {"", "garbage", "100000", "0 100000", "100000 0", "-5 100000", "nan 100000", "100000 max"}) {
    file("sys/fs/cgroup/a/cpu.max", text);
    EXPECT_EQ(cpu_quota(root_), kNone) << text;
  }
  file("sys/fs/cgroup/a/cpu.max", "100000 100000");
  for (const char* text : {"", "garbage", "0", "0:", "\n\n", "1 2 3 - cgroup2"}) {
    file("proc/self/cgroup", text);
    EXPECT_EQ(cpu_quota(root_), kNone) << text;
  }
  process_v2("/a");
  for (const char* text : {"", "garbage", "1 2 3 / - cgroup2 c rw", "1 2 3 / /sys/fs/cgroup rw - cgroup2"}) {
    file("proc/self/mountinfo", text);
    EXPECT_EQ(cpu_quota(root_), kNone) << text;
  }
  process("/a");
  quota("/a", "garbage");
  EXPECT_EQ(cpu_quota(root_), kNone);
  quota("/a", "100000", "");
  EXPECT_EQ(cpu_quota(root_), kNone);
}

TEST_F(Limits, TheMachinesMemoryIsItsAvailableMemory) {
  file("proc/meminfo", "MemTotal:  9000 kB\nMemFree:  100 kB\nMemAvailable:     2000 kB\nBuffers:  1 kB\n");
  EXPECT_EQ(available_memory(root_), 2000 * 1024);
  file("proc/meminfo", "MemTotal: 9000 kB\n");
  EXPECT_EQ(available_memory(root_), kNone);
}

// A group has left: its limit, less its usage, plus its page cache.
TEST_F(Limits, AGroupMayLeaveLessMemory) {
  file("proc/meminfo", "MemAvailable:     2000 kB\n");
  process("/a/b");
  const auto group = [&](const std::string& name, const char* limit, const char* used) {
    file("sys/fs/cgroup/memory" + name + "/memory.limit_in_bytes", limit);
    file("sys/fs/cgroup/memory" + name + "/memory.usage_in_bytes", used);
    file("sys/fs/cgroup/memory" + name + "/memory.stat",
         "active_file 9\ntotal_inactive_file 100\ntotal_active_file 20\n");
  };
  group("", "9223372036854771712", "5000000");
  EXPECT_EQ(available_memory(root_), 2000 * 1024);
  group("/a/b", "1000000", "400000");
  EXPECT_EQ(available_memory(root_), 600120);
  group("/a", "500000", "400000");
  EXPECT_EQ(available_memory(root_), 100120);
  group("/a", "500000", "600000");
  EXPECT_EQ(available_memory(root_), 0);
}

TEST_F(Limits, AGroupOfVersion2MayLeaveLessMemory) {
  file("proc/meminfo", "MemAvailable:     2000 kB\n");
  process_v2("/a/b");
  file("sys/fs/cgroup/a/b/memory.max", "max\n");
  file("sys/fs/cgroup/a/b/memory.current", "1\n");
  file("sys/fs/cgroup/a/memory.max", "1000000\n");
  EXPECT_EQ(available_memory(root_), 2000 * 1024) << "it does not say what it has used";
  file("sys/fs/cgroup/a/memory.current", "300000\n");
  file("sys/fs/cgroup/a/memory.stat", "anon 7\nactive_file 10\ninactive_file 5\n");
  EXPECT_EQ(available_memory(root_), 700015);
}

TEST_F(Limits, AreFoundOnThisMachine) {
  EXPECT_GT(cpu_quota(), 0);
  EXPECT_GT(available_memory(), 0);
  EXPECT_TRUE(std::isfinite(available_memory()));
}

}  // namespace
}  // namespace brickwork
