#include "primitives/planning/machine/limits.hpp"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace brickwork {
namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::infinity();

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

bool names(const std::string& controllers, std::string_view controller) {
  return std::ranges::count(parts_of(controllers, ','), controller) > 0;
}

enum class Version { v1, v2 };

// The process's group in a controller's hierarchy, from /proc/self/cgroup. Lines are "4:cpu,cpuacct:/a/b" for version 1
// and "0::/a/b" for version 2, which has one hierarchy for all controllers. Empty if there is none.
std::string own_group(const fs::path& root, Version version, std::string_view controller) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version == Version::v2 ? line.starts_with("0::") : names(controllers, controller))
      return line.substr(second + 1);
  }
  return {};
}

// The mounted folders of the process's group and of all groups above it. In a container the mount's root may be the
// container's group, and groups above a namespace's root are invisible.
std::vector<fs::path> groups(const fs::path& root, Version version, std::string_view controller) {
  const std::string group = own_group(root, version, controller);
  std::vector<fs::path> found;
  if (group.empty()) return found;
  std::ifstream in(root / "proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {  // id parent device root mount options [more] - type source options
    const auto fields = parts_of(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() < 5 || fields.end() - dash < 4) continue;
    const bool is_v2 = dash[1] == "cgroup2", is_v1 = dash[1] == "cgroup" && names(dash[3], controller);
    if (version == Version::v2 ? !is_v2 : !is_v1) continue;
    const std::string top = fields[3] == "/" ? "" : fields[3];
    if (!(group + '/').starts_with(top + '/')) continue;
    fs::path below = fs::path(group.substr(top.size())).relative_path();
    if (std::ranges::find(below, fs::path("..")) != below.end()) below.clear();
    const fs::path mount = root / fs::path(fields[4]).relative_path();
    for (; !below.empty(); below = below.parent_path()) found.push_back(mount / below);
    found.push_back(mount);
  }
  return found;
}

// The numbers in a file, up to the first word that is not a number.
std::vector<double> numbers(const fs::path& file) {
  std::vector<double> numbers;
  std::ifstream in(file);
  for (double number = 0; in >> number;) numbers.push_back(number);
  return numbers;
}

double number(const fs::path& file) {
  const auto all = numbers(file);
  return all.empty() ? kNone : all.front();
}

// The number after `name` at the start of a line, as in "name: 12 kB" or "name 12"; 0 if there is no such line. A colon
// is part of the name.
double entry(const fs::path& file, std::string_view name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    double value = 0;
    if (words >> word >> value && word == name) return value;
  }
  return 0;
}

double quota_of(const fs::path& group, Version version) {
  const auto limits = version == Version::v2
                          ? numbers(group / "cpu.max")
                          : std::vector{number(group / "cpu.cfs_quota_us"), number(group / "cpu.cfs_period_us")};
  const bool limited = limits.size() == 2 && limits[0] > 0 && limits[0] < kNone && limits[1] > 0 && limits[1] < kNone;
  return limited ? limits[0] / limits[1] : kNone;
}

double memory_left_of(const fs::path& group, Version version) {
  const bool v2 = version == Version::v2;
  const double limit = number(group / (v2 ? "memory.max" : "memory.limit_in_bytes"));
  const double used = number(group / (v2 ? "memory.current" : "memory.usage_in_bytes"));
  if (limit == kNone || used == kNone) return kNone;
  double files = 0;
  for (const char* list : {"active_file", "inactive_file"}) {
    files += entry(group / "memory.stat", v2 ? list : std::string("total_") + list);
  }
  return std::max(0.0, limit - used + files);
}

template <class Limit>
double least(const fs::path& root, std::string_view controller, const Limit& limit) {
  double least = kNone;
  for (const Version version : {Version::v1, Version::v2}) {
    for (const fs::path& group : groups(root, version, controller)) least = std::min(least, limit(group, version));
  }
  return least;
}

}  // namespace

double cpu_quota(const fs::path& root) { return least(root, "cpu", quota_of); }

double available_memory(const fs::path& root) {
  const double kilobytes = entry(root / "proc/meminfo", "MemAvailable:");
  const double of_machine = kilobytes > 0 ? 1024 * kilobytes : kNone;
  return std::min(of_machine, least(root, "memory", memory_left_of));
}

void give_back_free_memory() { malloc_trim(0); }

}  // namespace brickwork
