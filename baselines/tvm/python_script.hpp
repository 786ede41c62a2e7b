// Runs a script in a Python that finds TVM.
#pragma once
#include <filesystem>
#include <map>
#include <string>

namespace brickwork::metaschedule {

// Waits until the script has ended, and ends it if stopped() returns true; stopped may be null. What the script prints
// goes into `log`. Throws std::runtime_error with one sentence if the script cannot be started or fails.
void run_script(const std::string& script, const std::string& argument,
                const std::map<std::string, std::string>& environment, const std::filesystem::path& log,
                bool (*stopped)());

}  // namespace brickwork::metaschedule
