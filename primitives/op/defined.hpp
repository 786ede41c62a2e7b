// Runs an operation's definition on f64 tensors that are set by name; a tensor that is not set is zero.
#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

#include "primitives/op/op.hpp"

namespace brickwork {

template <Operation Op>
class Defined {
 public:
  explicit Defined(const typename Op::Problem& p)
      : problem_(p), in_(with_dtype(Op::inputs(p), DType::f64)), out_(with_dtype(Op::outputs(p), DType::f64)) {}

  Defined& with(std::string_view name, const double* values) {
    const auto to = in_.values<double>(name);
    std::copy_n(values, to.size(), to.begin());
    return *this;
  }
  Defined& with(std::string_view name, const std::vector<double>& values) { return with(name, values.data()); }
  Defined& run() {
    Op::reference(problem_, in_, out_);
    return *this;
  }
  std::vector<double> operator[](std::string_view name) const {
    const auto values = out_.values<double>(name);
    return {values.begin(), values.end()};
  }

 private:
  typename Op::Problem problem_;
  PlainTensors in_, out_;
};

}  // namespace brickwork
