// The addition of a residual as operations (op.hpp): forward, and backward, which is the ReLU's derivative.
#pragma once
#include "primitives/add/op/add_problem.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// What the passes share.
struct AddOp {
  using Problem = AddProblem;
  static constexpr std::string_view primitive = "add";
  static constexpr std::int64_t AddProblem::*images = &AddProblem::N;
  static constexpr bool sum_of_products = true, bandwidth_bound = true;

  static std::int64_t terms(const AddProblem&) { return 1; }
  // One addition or selection per element; the ReLU is not counted.
  static double flops(const AddProblem& p) { return static_cast<double>(p.elements()); }

 protected:
  static TensorInfo tensor(const char* name, const AddProblem& p) {
    return {.name = name, .dims = {p.N, p.E}, .per_image = true};
  }
};

// dst = a + b, or relu(a + b) with relu(x) = x < 0 ? 0 : x, so that NaN stays NaN.
struct AddForwardOp : AddOp {
  static constexpr std::string_view pass = "forward";

  static std::vector<TensorInfo> inputs(const AddProblem& p) { return {tensor("a", p), tensor("b", p)}; }
  static std::vector<TensorInfo> outputs(const AddProblem& p) { return {tensor("dst", p)}; }
  static void reference(const AddProblem&, const PlainTensors& in, PlainTensors& out);
};

// The derivative by a, which equals that by b: dsrc = 0 if forward's dst <= 0, otherwise ddst.
struct AddBackwardOp : AddOp {
  static constexpr std::string_view pass = "backward-data";

  static std::vector<TensorInfo> inputs(const AddProblem& p) { return {tensor("dst", p), tensor("ddst", p)}; }
  static std::vector<TensorInfo> outputs(const AddProblem& p) { return {tensor("dsrc", p)}; }
  static void check_taken(const AddProblem&);
  static void reference(const AddProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
