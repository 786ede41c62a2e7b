// What the elements of a tensor are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace brickwork {

enum class DType {
  f32,
  f64,  // of references; no brick computes in it
  i32,  // of labels
};

constexpr std::string_view to_string(DType dtype) {
  return dtype == DType::f32 ? "f32" : dtype == DType::f64 ? "f64" : "i32";
}
constexpr std::size_t size_of(DType dtype) { return dtype == DType::f64 ? 8 : 4; }

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) {
    return DType::f32;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return DType::i32;
  } else {
    static_assert(std::is_same_v<T, double>);
    return DType::f64;
  }
}

}  // namespace brickwork
