// The number format in which an operation multiplies. Plain tensors are always f32, but hold only numbers of that
// format, so that a contender that multiplies in it rounds nothing. Sums are f32.
#pragma once
#include <string_view>
#include <utility>

#include "baselines/contender/contender.hpp"
#include "kernels/base/bf16.hpp"
#include "kernels/base/tf32.hpp"

namespace brickwork {

enum class Precision {
  f32,   // strict: each product and each sum rounds to 24 bits
  tf32,  // tensors are f32; tensor cores use 11 bits of each factor
  bf16,  // inputs and outputs are bf16
};
inline constexpr Precision kPrecisions[] = {Precision::f32, Precision::tf32, Precision::bf16};

constexpr std::string_view to_string(Precision precision) {
  constexpr std::string_view names[] = {"f32", "tf32", "bf16"};
  return names[static_cast<int>(precision)];
}

// Type of a contender's tensors.
constexpr DType dtype_of(Precision precision) { return precision == Precision::bf16 ? DType::bf16 : DType::f32; }

// The nearest number that a factor can be.
inline double rounded(double value, Precision precision) {
  const auto f32 = static_cast<float>(value);
  switch (precision) {
    case Precision::f32:
      return static_cast<double>(f32);
    case Precision::tf32:
      return static_cast<double>(rounded_to_tf32(f32));
    case Precision::bf16:
      return static_cast<double>(bf16(f32));
  }
  return value;
}

// The operation on factors of less than 24 bits. The reference takes these factors in f64; outputs in bf16 are rounded
// once.
template <Operation Op, Precision kPrecision>
struct InPrecision : Op {
  using Problem = typename Op::Problem;
  static constexpr std::string_view dtype = to_string(kPrecision);

  static void settle(const Problem& p, PlainTensors& in) {
    if constexpr (requires { Op::settle(p, in); }) Op::settle(p, in);
    round(in);
  }
  static void reference(const Problem& p, const PlainTensors& in, PlainTensors& out) {
    Op::reference(p, in, out);
    if (kPrecision == Precision::bf16) round(out);
  }
  static double bytes(const Problem& p) {
    return tensor_bytes<Op>(p) * static_cast<double>(size_of(dtype_of(kPrecision))) / sizeof(float);
  }
  // Share of the largest output: a small error of a sum may move a bf16 output to the next number.
  static constexpr double rounding_of_outputs = kPrecision == Precision::bf16 ? 0x1p-7 : 0;

 private:
  static void round(PlainTensors& tensors) {
    for (std::size_t i = 0; i < tensors.infos().size(); ++i) {
      for (double& value : tensors.values<double>(i)) value = rounded(value, kPrecision);
    }
  }
};

// The contender for that operation. It was made for the precision, and its problem is the same.
template <Precision kPrecision, Operation Op>
Contender<InPrecision<Op, kPrecision>> in_precision(Contender<Op> contender) {
  return {.name = std::move(contender.name),
          .library = std::move(contender.library),
          .ours = contender.ours,
          .device = std::move(contender.device),
          .rounding = contender.rounding,
          .slow = contender.slow,
          .prepare = std::move(contender.prepare),
          .plan = std::move(contender.plan)};
}

}  // namespace brickwork
