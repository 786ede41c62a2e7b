// Element types of tensors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "kernels/base/bf16.hpp"

namespace brickwork {

enum class DType {
  f32,
  bf16,
  f64,  // for references; no brick computes in it
  i32,  // for labels
};

constexpr std::string_view to_string(DType dtype) {
  constexpr std::string_view names[] = {"f32", "bf16", "f64", "i32"};
  return names[static_cast<int>(dtype)];
}
constexpr std::size_t size_of(DType dtype) {
  constexpr std::size_t sizes[] = {4, 2, 8, 4};
  return sizes[static_cast<int>(dtype)];
}

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) {
    return DType::f32;
  } else if constexpr (std::is_same_v<T, bf16>) {
    return DType::bf16;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return DType::i32;
  } else {
    static_assert(std::is_same_v<T, double>);
    return DType::f64;
  }
}

}  // namespace brickwork
