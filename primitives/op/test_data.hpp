// Inputs of a problem with the right answer, made from the operation's description alone.
#pragma once
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "primitives/op/compare.hpp"
#include "primitives/op/op.hpp"
#include "primitives/op/test_values.hpp"

namespace brickwork {

struct TestData {
  PlainTensors inputs;
  PlainTensors expected;  // f64; of a few images where the operation allows it: the right output repeats these
  Tolerance tolerance;
  // The definition's outputs for inputs of NaN, with the shapes of `expected`. Empty unless an output of `expected` is
  // all zeros.
  PlainTensors of_nan = {};
};

// The number of distinct images that a minibatch repeats, so that the slow reference runs on few images and still
// judges all.
inline constexpr std::int64_t kDistinctImages = 3;

namespace test_data {

// Whether every output is per image, so that outputs repeat as images do.
template <Operation Op>
bool outputs_follow_images(const typename Op::Problem& p) {
  return std::ranges::all_of(Op::outputs(p), [](const TensorInfo& t) { return t.per_image || t.dims.empty(); });
}

// Divisor of `images` nearest to kDistinctImages: the smallest one not below it (step 1), or the largest one not above
// it (step -1); `images` itself if it is smaller.
inline std::int64_t part_of(std::int64_t images, int step) {
  std::int64_t few = std::min(images, kDistinctImages);
  while (images % few != 0) few += step;
  return few;
}

template <Operation Op>
typename Op::Problem few_images(typename Op::Problem p) {
  if constexpr (!std::is_null_pointer_v<decltype(Op::images)>) {
    if constexpr (requires { Op::mean_over_images; }) {
      p.*Op::images = part_of(p.*Op::images, -1);
    } else if constexpr (requires { Op::sum_over_images; }) {
      p.*Op::images = part_of(p.*Op::images, 1);
    } else if (outputs_follow_images<Op>(p)) {
      p.*Op::images = std::min(p.*Op::images, kDistinctImages);
    }
  }
  return p;
}

// Fills `all` with the values of `few`, repeated.
void repeat(const PlainTensors& few, PlainTensors& all);

// Multiplies the tensors that are not per image.
void multiply_sums(PlainTensors&, double times);

// Random valid inputs, in f64.
template <Operation Op>
PlainTensors draw_inputs(const typename Op::Problem& p, TestValues& values) {
  PlainTensors inputs(with_dtype(Op::inputs(p), DType::f64));
  for (std::size_t i = 0; i < inputs.infos().size(); ++i) values.fill(inputs.values<double>(i));
  if constexpr (requires { Op::settle(p, inputs); }) Op::settle(p, inputs);
  return inputs;
}

// The definition's outputs for a few images of NaN. Integers keep legal values, as NaN is no length and no label.
template <Operation Op>
PlainTensors answer_to_nan(const typename Op::Problem& p) {
  const auto few = few_images<Op>(p);
  TestValues values(Fill::floats, Op::terms(p), to_string(p));
  PlainTensors inputs = draw_inputs<Op>(few, values), outputs(with_dtype(Op::outputs(few), DType::f64));
  const auto infos = Op::inputs(few);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].dtype != DType::i32) std::ranges::fill(inputs.values<double>(i), std::nan(""));
  }
  Op::reference(few, inputs, outputs);
  return outputs;
}

// Whether every output of zeros has an element that NaN reaches.
bool reaches_zeros(const PlainTensors& of_nan, const PlainTensors& expected);

}  // namespace test_data

// The same seed gives the same data. Throws std::invalid_argument if integers cannot be exact (too many terms).
template <Operation Op>
TestData make_test_data(const typename Op::Problem& p, Fill fill, const std::string& seed) {
  const auto few = test_data::few_images<Op>(p);
  TestValues values(Op::sum_of_products ? fill : Fill::floats, Op::terms(p), seed, curved<Op>(p));
  PlainTensors distinct = test_data::draw_inputs<Op>(few, values);

  TestData data{PlainTensors(Op::inputs(p)), PlainTensors(with_dtype(Op::outputs(few), DType::f64)), {}};
  test_data::repeat(distinct, data.inputs);
  Op::reference(few, distinct, data.expected);
  if constexpr (Op::sum_of_products) data.tolerance.value = values.tolerance();
  if constexpr (requires { Op::sum_over_images; }) {
    const std::int64_t parts = p.*Op::images / few.*Op::images;
    const auto times = static_cast<double>(parts);
    test_data::multiply_sums(data.expected, times);
    data.tolerance.value *= times;  // the sum repeats the same products, so that errors do not cancel
  }
  if constexpr (!Op::sum_of_products) data.tolerance = {Op::bound(p), bounds_whole<Op>()};
  return data;
}

// Test data on which a contender that writes nothing fails. A few outputs after a ReLU may all be zero, like memory
// that was never written: other inputs are drawn then. If the answer stays zero, as the variance of one value does,
// inputs of NaN show whether a contender computes it. Throws std::invalid_argument if the answer to NaN is zero, too,
// so that nothing can be checked.
template <Operation Op>
TestData make_checkable_test_data(const typename Op::Problem& p, Fill fill) {
  TestData data;
  for (int seed = 0; seed < 8; ++seed) {
    data = {};  // frees its memory before the next is made
    data = make_test_data<Op>(p, fill, to_string(p) + " " + std::to_string(seed));
    if (!has_output_of_zeros(data.expected)) return data;
  }
  data.of_nan = test_data::answer_to_nan<Op>(p);
  if (!test_data::reaches_zeros(data.of_nan, data.expected)) {
    throw std::invalid_argument("the right output is all zeros whatever the inputs are: nothing can be checked");
  }
  return data;
}

}  // namespace brickwork
