// The outputs of an operation's definition for given f32 inputs.
#pragma once
#include <algorithm>

#include "primitives/op/op.hpp"

namespace brickwork {

// `in` may also hold inputs of other operations.
template <Operation Op>
PlainTensors defined_outputs(const typename Op::Problem& p, const PlainTensors& in) {
  PlainTensors exact(with_dtype(Op::inputs(p), DType::f64)), out(with_dtype(Op::outputs(p), DType::f64));
  for (const TensorInfo& info : Op::inputs(p)) {
    double* const to = exact.at<double>(info.name);
    if (info.dtype == DType::i32) {
      std::copy_n(in.at<std::int32_t>(info.name), info.size(), to);
    } else {
      std::copy_n(in.at<float>(info.name), info.size(), to);
    }
  }
  Op::reference(p, exact, out);
  return out;
}

}  // namespace brickwork
