// Whether there is a GPU to run on. Includes no CUDA header, so that a build without CUDA can ask, too.
#pragma once
#include <string>

namespace brickwork {

// Why nothing can run on a GPU here, in one sentence: the build has no CUDA, the machine has no device or too old a
// driver, or an earlier error lost the device to this process. Empty if a GPU can run.
std::string cuda_absent();

std::string cuda_version_text(int version);  // 13020 becomes "13.2"

}  // namespace brickwork
