// Tensors of any element type, as on a device, and a check of a pass' outputs.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kernels/base/bf16.hpp"
#include "primitives/op/test_data.hpp"

namespace brickwork {

template <class T, class From>
std::vector<T> as(const From& values) {
  std::vector<T> converted;
  for (const auto value : values) converted.push_back(T(float(value)));
  return converted;
}

// A tensor of NaN, which a pass must overwrite.
template <class T>
std::vector<T> nans(std::int64_t size) {
  return std::vector<T>(static_cast<std::size_t>(size), T(std::numeric_limits<float>::quiet_NaN()));
}

// Why outputs are wrong; empty if they are right. unpack(name, plain) writes an output as f32.
template <class Op, class TC, class Unpack>
std::string wrong_outputs(const typename Op::Problem& p, const TestData& t, const Unpack& unpack) {
  PlainTensors plain(with_dtype(Op::outputs(p), dtype_of<TC>()));
  for (std::size_t i = 0; i < plain.infos().size(); ++i) {
    std::vector<float> values(plain.values<TC>(i).size(), std::numeric_limits<float>::quiet_NaN());
    if (!values.empty()) unpack(plain.infos()[i].name, values.data());
    std::ranges::copy(as<TC>(values), plain.values<TC>(i).begin());
  }
  return compare(plain, t.expected, t.tolerance).reason;
}

}  // namespace brickwork
