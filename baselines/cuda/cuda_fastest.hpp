// Chooses the fastest of a library's ways to do the same. The time of choosing is in no row.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "baselines/cuda/cuda_tensor.hpp"

namespace brickwork::cuda {

struct Way {
  std::string name;
  std::size_t workspace_bytes = 0;
  // run and before queue their work and throw std::runtime_error if the library refuses. `before` runs once the sources
  // are packed and is not part of the run; it is mostly empty.
  std::function<void(void* workspace)> run;
  std::function<void(void* workspace)> before = nullptr;
};

// Operands, and the ways to compute with them.
struct Operands {
  std::vector<std::unique_ptr<Operand>> sources, results;
  std::vector<Way> ways;
  std::string refusal;  // why there are no more ways; mostly empty
};

// Adds an operand to `operands` and returns its address.
template <class AnOperand>
void* add(std::vector<std::unique_ptr<Operand>>& operands, AnOperand operand) {
  void* const data = operand.data();
  operands.push_back(std::make_unique<AnOperand>(std::move(operand)));
  return data;
}

// A sixteenth of the device's memory: ways that need more are left out.
std::size_t most_workspace();

// Times each way of each choice as a replay, on operands that hold the plain inputs. Throws Refused if there is no way;
// its message is the last refusal of the library, if there is one.
PreparedPtr fastest(std::vector<std::function<Operands()>> choices, const PlainTensors& inputs);

}  // namespace brickwork::cuda
