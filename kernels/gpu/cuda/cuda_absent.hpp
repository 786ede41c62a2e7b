// Whether there is a GPU to run on. Free of CUDA's headers; a build without CUDA may ask, too.
#pragma once
#include <string>

namespace brickwork {

// Why nothing can run on a GPU here, in one sentence: the build has no CUDA, the machine no device or too old a driver,
// or an error before lost the device to this process. Empty where it can.
std::string cuda_absent();

std::string cuda_version_text(int version);  // of 13020: "13.2"

}  // namespace brickwork
