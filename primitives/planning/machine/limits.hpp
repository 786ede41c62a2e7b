// The CPU time and the memory that this process may use. Cgroups of version 1 and 2 may allow it less than the machine
// has; the limits of a group also hold for the groups below it.
#pragma once
#include <filesystem>

namespace brickwork {

// `root` is the folder to read instead of "/", for tests. A file that cannot be read sets no limit.

// The number of CPUs that the process may keep busy all the time; infinity if no group has a quota.
double cpu_quota(const std::filesystem::path& root = "/");

// Bytes that the process can still allocate without swap: the least of what the machine and the process's groups have
// left. A group's page cache counts as free. Infinity if the machine does not say.
double available_memory(const std::filesystem::path& root = "/");

// Returns the heap's free memory to the system. Otherwise other processes cannot use it, and this process can use it
// only for allocations that fit into it.
void give_back_free_memory();

}  // namespace brickwork
