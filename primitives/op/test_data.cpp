#include "primitives/op/test_data.hpp"

#include "primitives/op/repetition.hpp"

namespace brickwork::test_data {

void repeat(const PlainTensors& few, PlainTensors& all) {
  for (std::size_t i = 0; i < few.infos().size(); ++i) {
    if (few.infos()[i].size() == 0) continue;
    with_type(all.infos()[i].dtype, [&]<class T>(T) {
      const auto from = few.values<double>(i);
      const auto to = all.values<T>(i);
      for_each_repeated(all.infos()[i], few.infos()[i],
                        [&](std::size_t t, std::size_t f) { to[t] = static_cast<T>(from[f]); });
    });
  }
}

void multiply_sums(PlainTensors& tensors, double times) {
  for (std::size_t i = 0; i < tensors.infos().size(); ++i) {
    if (tensors.infos()[i].per_image) continue;
    for (double& x : tensors.values<double>(i)) x *= times;
  }
}

bool reaches_zeros(const PlainTensors& of_nan, const PlainTensors& expected) {
  for (std::size_t i = 0; i < expected.infos().size(); ++i) {
    if (!is_zeros(expected.values<double>(i))) continue;
    if (std::ranges::none_of(of_nan.values<double>(i), [](double x) { return std::isnan(x); })) return false;
  }
  return true;
}

}  // namespace brickwork::test_data
