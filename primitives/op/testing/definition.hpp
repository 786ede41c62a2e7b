// Runs definitions in tests of operations, and gives values to try them on. The passes of a layer are each other's
// adjoints: forward is bilinear in src and weights, so that <ddst, forward(src, weights)> == <dsrc, src> == <dweights,
// weights>.
#pragma once
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/op/op.hpp"

namespace brickwork {

using Values = std::vector<double>;

// The only output of an operation's definition; `inputs` are in the operation's order.
template <Operation Op>
Values by_definition(const typename Op::Problem& p, const std::vector<Values>& inputs) {
  PlainTensors in(with_dtype(Op::inputs(p), DType::f64)), out(with_dtype(Op::outputs(p), DType::f64));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].size() != in.values<double>(i).size()) throw std::logic_error("the test gives too few values");
    std::ranges::copy(inputs[i], in.values<double>(i).begin());
  }
  std::ranges::fill(out.values<double>(0), -1e30);
  Op::reference(p, in, out);
  return {out.values<double>(0).begin(), out.values<double>(0).end()};
}

inline double dot(const Values& a, const Values& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

inline Values numbered(std::size_t size) {
  Values values(size);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// Small integers, which every sum here adds exactly.
inline Values random_values(std::int64_t size) {
  return *rc::gen::container<Values>(static_cast<std::size_t>(size),
                                     rc::gen::map(rc::gen::inRange(-4, 5), [](int x) { return double(x); }));
}

// The message with which the operation refuses a problem; empty if it takes it.
template <Operation Op>
std::string refusal(std::string_view text) {
  try {
    check_taken<Op>(parse_problem<typename Op::Problem>(text));
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace brickwork
