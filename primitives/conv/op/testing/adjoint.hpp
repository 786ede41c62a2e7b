// What the tests of convolution's training passes share: each is an adjoint of forward, which is bilinear in src and
// weights, so that <ddst, forward(src, weights)> == <dsrc, src> == <dweights, weights>.
#pragma once
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conv_forward_op.hpp"

namespace brickwork {

using Values = std::vector<double>;

// The one output of an operation's definition, of its inputs in their order.
template <Operation Op>
Values by_definition(const ConvProblem& p, const std::vector<Values>& inputs) {
  PlainTensors in(with_dtype(Op::inputs(p), DType::f64)), out(with_dtype(Op::outputs(p), DType::f64));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].size() != in.values<double>(i).size()) throw std::logic_error("the test gives too few values");
    std::ranges::copy(inputs[i], in.values<double>(i).begin());
  }
  std::ranges::fill(out.values<double>(0), -1e30);
  Op::reference(p, in, out);
  return {out.values<double>(0).begin(), out.values<double>(0).end()};
}

inline Values dst_of(const ConvProblem& p, const Values& src, const Values& weights) {
  return by_definition<ConvForwardOp>(p, {src, weights});
}

inline double dot(const Values& a, const Values& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

inline Values numbered(std::size_t size) {
  Values values(size);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// Strides of 1 to 3, rims of 0 to 3, and nothing that has to be even or square.
inline ConvProblem random_conv() {
  const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
  ConvProblem p;
  p.N = in(1, 5);
  p.C = in(1, 5);
  p.K = in(1, 5);
  p.R = in(1, 5);
  p.S = in(1, 5);
  p.pad_h = in(0, 3);
  p.pad_w = in(0, 3);
  p.H = in(std::max<std::int64_t>(1, p.R - 2 * p.pad_h), 9);
  p.W = in(std::max<std::int64_t>(1, p.S - 2 * p.pad_w), 9);
  p.stride_h = in(1, 3);
  p.stride_w = in(1, 3);
  p.validate();
  return p;
}

// Small integers, of which every sum here is exact.
inline Values random_values(std::int64_t size) {
  return *rc::gen::container<Values>(static_cast<std::size_t>(size),
                                     rc::gen::map(rc::gen::inRange(-4, 5), [](int x) { return double(x); }));
}

// What the operation says to a problem that it does not take.
template <Operation Op>
std::string refusal(std::string_view text) {
  try {
    check_taken<Op>(parse_problem<ConvProblem>(text));
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace brickwork
