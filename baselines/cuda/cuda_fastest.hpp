// Measures the ways that a library has to compute one operation, and keeps the fastest. No result row includes the time
// of this choice.
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
  // run and before queue their work and throw std::runtime_error if the library refuses. `before` runs after each
  // packing and is not timed with run(); most ways have none.
  std::function<void(void* workspace)> run;
  std::function<void(void* workspace)> before = nullptr;
};

// Operands, and the ways to compute with them.
struct Operands {
  std::vector<std::unique_ptr<Operand>> sources, results;
  std::vector<Way> ways;
  std::string refusal;  // why the library refused some ways; empty if it refused none
};

// Appends an operand to `operands` and returns the address of its data.
template <class AnOperand>
void* add(std::vector<std::unique_ptr<Operand>>& operands, AnOperand operand) {
  void* const data = operand.data();
  operands.push_back(std::make_unique<AnOperand>(std::move(operand)));
  return data;
}

// The most workspace that a way may use, in bytes: 1/16 of the device's memory. Callers leave out ways that need more.
std::size_t most_workspace();

// Each choice makes operands, which hold the plain inputs, and their ways. Times every way as a recorded run
// (device_queue.hpp) and returns the fastest. Throws Refused if no way works: with the library's last refusal, or with
// a general sentence if it gave none.
PreparedPtr fastest(std::vector<std::function<Operands()>> choices, const PlainTensors& inputs);

}  // namespace brickwork::cuda
