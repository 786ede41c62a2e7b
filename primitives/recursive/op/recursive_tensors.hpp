// The tensors of a cell over a forest, which may be any that the cell takes. recursive_ops.hpp says what they hold.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "primitives/op/plain_tensors.hpp"
#include "primitives/recursive/op/cell.hpp"

namespace brickwork::recursive_ops {

std::vector<TensorInfo> sources(const Cell&, std::int64_t H, const Forest&);
std::vector<TensorInfo> results(const Cell&, std::int64_t H, const Forest&);
std::vector<TensorInfo> upstream(const Cell&, std::int64_t H, const Forest&);
std::vector<TensorInfo> gradients(const Cell&, std::int64_t H, const Forest&);

// The names of gradients. A weight's or a bias's name may begin with any letter, so that its gradient ends in a word.
inline std::string gradient_of_values(const std::string& name) { return "d" + name; }  // of an input or a state
inline std::string gradient_of_parameter(const std::string& name) { return name + ".gradient"; }

}  // namespace brickwork::recursive_ops
