// Tensors of one problem with the right answer, from nothing but the operation's description.
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
  PlainTensors expected;  // f64; of few images where all outputs are per image: the right output is these, repeated
  Tolerance tolerance;
  // Where an output of `expected` is zeros alone: what the definition makes of inputs of NaN, as `expected` is. Else
  // nothing.
  PlainTensors of_nan = {};
};

// Images come from this many distinct ones, so that the slow reference runs on few and still judges all.
inline constexpr std::int64_t kDistinctImages = 3;

namespace test_data {

// Whether each image has outputs of its own, which repeat as the images do.
template <Operation Op>
bool outputs_follow_images(const typename Op::Problem& p) {
  return std::ranges::all_of(Op::outputs(p), [](const TensorInfo& t) { return t.per_image || t.dims.empty(); });
}

// The distinct images, or the nearest number above (step 1) or below (step -1) of which all are a multiple.
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

// `few` as the values of `all`, repeated to its size.
void repeat(const PlainTensors& few, PlainTensors& all);

// Those that are no image's own times so much.
void multiply_sums(PlainTensors&, double times);

// Such as the operation takes, in f64.
template <Operation Op>
PlainTensors draw_inputs(const typename Op::Problem& p, TestValues& values) {
  PlainTensors inputs(with_dtype(Op::inputs(p), DType::f64));
  for (std::size_t i = 0; i < inputs.infos().size(); ++i) values.fill(inputs.values<double>(i));
  if constexpr (requires { Op::settle(p, inputs); }) Op::settle(p, inputs);
  return inputs;
}

// What the definition makes of few images of NaN. Integers are legal ones, as NaN is no length and no label.
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

// Whether each output of zeros has an element that NaN reaches.
bool reaches_zeros(const PlainTensors& of_nan, const PlainTensors& expected);

}  // namespace test_data

// Deterministic in the seed. Throws std::invalid_argument where integers cannot be exact (too many terms).
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
    data.tolerance.value *= times;  // the same products, again and again: no error makes up for another
  }
  if constexpr (!Op::sum_of_products) data.tolerance = {Op::bound(p), bounds_whole<Op>()};
  return data;
}

// A few outputs behind a ReLU may all be zero, as memory is that nobody wrote: then other inputs are drawn. Where the
// answer stays zero, as the variance of one value does, inputs of NaN tell a contender that computes it from one that
// does nothing. Throws std::invalid_argument where it is zero of NaN as well: nothing could be checked.
template <Operation Op>
TestData make_checkable_test_data(const typename Op::Problem& p, Fill fill) {
  TestData data;
  for (int seed = 0; seed < 8; ++seed) {
    data = {};  // its memory is for the next one
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
