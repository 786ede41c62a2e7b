// Tensors of any type, as a device holds them, and whether what a pass made of them is right.
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

// Elements of a packed tensor, or NaN that is to be written over.
template <class T>
std::vector<T> nans(std::int64_t size) {
  return std::vector<T>(static_cast<std::size_t>(size), T(std::numeric_limits<float>::quiet_NaN()));
}

// Why outputs are wrong, or nothing; unpack(name, plain) writes one of them as f32.
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
