// cuDNN, loaded at run time.
#pragma once
#include <cudnn.h>
#include <fmt/format.h>

#include <string>

#include "baselines/contender/cuda_device.hpp"
#include "baselines/cuda/shared_library.hpp"

namespace brickwork::cudnn {

// libcudnn.so of the major version of the headers that this was built with.
const SharedLibrary& library();

// Why it cannot be used, in one sentence: no device, no library, or a library older than its headers. Empty if it can.
std::string absent();
std::string version();  // "9.19.0"; empty if it is absent

// Uses the queue's stream. Only if cuDNN is not absent.
cudnnHandle_t handle();

void require(cudnnStatus_t status, const char* what);  // throws std::runtime_error with cuDNN's message

}  // namespace brickwork::cudnn

// The function of the loaded library.
#define BRICKWORK_CUDNN(name) (*brickwork::cudnn::library().function<decltype(name)>(#name))
