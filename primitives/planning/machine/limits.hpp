// What the system leaves of the machine to this process. Cgroups, of version 1 and 2, may give it less time of the CPUs
// and less memory than there is; what limits a group limits all groups below it.
#pragma once
#include <filesystem>

namespace brickwork {

// `root` is the folder that stands for "/", which tests have their own of. What cannot be read limits nothing.

// How many CPUs the process may keep busy all the time; infinity where no group has a quota.
double cpu_quota(const std::filesystem::path& root = "/");

// Bytes that may still be allocated, without swap: as many as the machine has left, or as a group has, whose cache of
// files is given up for them. Infinity where the machine does not say.
double available_memory(const std::filesystem::path& root = "/");

// Gives the system what the heap has free and keeps for later, which else is available to nobody else, and to us only
// where it fits.
void give_back_free_memory();

}  // namespace brickwork
