// The fastest of a library's many ways to do the same, as a contender: what tuning takes is in no row.
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
  // Both queue their work, and throw std::runtime_error where the library refuses. What has to run before, once the
  // sources are packed, is no part of the run; mostly there is nothing.
  std::function<void(void* workspace)> run;
  std::function<void(void* workspace)> before = nullptr;
};

// Operands, and the ways to compute with them where they lie.
struct Operands {
  std::vector<std::unique_ptr<Operand>> sources, results;
  std::vector<Way> ways;
  std::string refusal;  // why there are no more ways; mostly empty
};

// Adds an operand to those, and says where it lies.
template <class AnOperand>
void* add(std::vector<std::unique_ptr<Operand>>& operands, AnOperand operand) {
  void* const data = operand.data();
  operands.push_back(std::make_unique<AnOperand>(std::move(operand)));
  return data;
}

// A sixteenth of the device's memory: ways that want more are left out.
std::size_t most_workspace();

// Each way of each operands is timed as a replay, on operands that hold the plain inputs. Throws Refused where there is
// none, or with what the last one says where all are refused.
PreparedPtr fastest(std::vector<std::function<Operands()>> choices, const PlainTensors& inputs);

}  // namespace brickwork::cuda
