// Tensors of one problem with the right answer, from nothing but the operation's description.
#pragma once
#include <algorithm>
#include <stdexcept>

#include "compare.hpp"
#include "op.hpp"
#include "test_values.hpp"

namespace brickwork {

struct TestData {
  PlainTensors inputs;
  PlainTensors expected;  // f64; of few images where all outputs are per image: the right output is these, repeated
  double tolerance = 0;   // of the absolute error
};

// Images come from this many distinct ones, so that the slow reference runs on few and still judges all.
inline constexpr std::int64_t kDistinctImages = 3;

namespace test_data {

template <Operation Op>
typename Op::Problem few_images(typename Op::Problem p) {
  if constexpr (!std::is_null_pointer_v<decltype(Op::images)>) {
    const auto per_image = [](const TensorInfo& t) { return t.per_image || t.dims.empty(); };
    if (std::ranges::all_of(Op::outputs(p), per_image)) p.*Op::images = std::min(p.*Op::images, kDistinctImages);
  }
  return p;
}

// `few` as the values of `all`, repeated to its size.
void repeat(const PlainTensors& few, PlainTensors& all);

}  // namespace test_data

// Deterministic in the seed. Throws std::invalid_argument where integers cannot be exact (too many terms).
template <Operation Op>
TestData make_test_data(const typename Op::Problem& p, Fill fill, const std::string& seed) {
  const auto few = test_data::few_images<Op>(p);
  TestValues values(Op::sum_of_products ? fill : Fill::floats, Op::terms(p), seed);
  PlainTensors distinct(with_dtype(Op::inputs(few), DType::f64));
  for (std::size_t i = 0; i < distinct.infos().size(); ++i) values.fill(distinct.values<double>(i));

  TestData data{PlainTensors(Op::inputs(p)), PlainTensors(with_dtype(Op::outputs(few), DType::f64)), {}};
  test_data::repeat(distinct, data.inputs);
  Op::reference(few, distinct, data.expected);
  if constexpr (Op::sum_of_products) {
    data.tolerance = values.tolerance();
  } else {
    data.tolerance = Op::bound(p);
  }
  return data;
}

// A few outputs behind a ReLU may all be zero, which any broken contender gets right: then other inputs are drawn.
// Throws std::invalid_argument where the answer stays zero: nothing could be checked.
template <Operation Op>
TestData make_checkable_test_data(const typename Op::Problem& p, Fill fill) {
  for (int seed = 0; seed < 8; ++seed) {
    auto data = make_test_data<Op>(p, fill, to_string(p) + " " + std::to_string(seed));
    if (!decides_nothing(data.expected)) return data;
  }
  throw std::invalid_argument("the right output is all zeros: nothing can be checked");
}

}  // namespace brickwork
