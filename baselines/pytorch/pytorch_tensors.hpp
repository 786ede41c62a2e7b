// Version, ISA and tensors of PyTorch, for its contenders.
#pragma once
#include <torch/torch.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "primitives/op/plain_tensors.hpp"

namespace brickwork::pytorch {

std::string version();
std::string isa();

// A PyTorch tensor of the same element type that shares the memory of the plain tensor `name`.
at::Tensor view(const PlainTensors&, std::string_view name);

// Rethrows an exception of PyTorch without the stack trace in its what().
template <class Work>
auto in_one_sentence(Work work) {
  try {
    return work();
  } catch (const c10::Error& e) {
    throw std::runtime_error(e.what_without_backtrace());
  }
}

}  // namespace brickwork::pytorch
