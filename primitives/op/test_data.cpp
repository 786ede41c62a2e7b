#include "test_data.hpp"

#include <fmt/format.h>

#include "repetition.hpp"

namespace brickwork::test_data {
namespace {

template <class T>
void repeat_as(const PlainTensors& few, std::size_t i, PlainTensors& all) {
  const auto from = few.values<double>(i);
  const auto to = all.values<T>(i);
  for_each_repeated(all.infos()[i], few.infos()[i],
                    [&](std::size_t t, std::size_t f) { to[t] = static_cast<T>(from[f]); });
}

}  // namespace

void repeat(const PlainTensors& few, PlainTensors& all) {
  for (std::size_t i = 0; i < few.infos().size(); ++i) {
    if (few.infos()[i].size() == 0) continue;
    switch (all.infos()[i].dtype) {
      case DType::f32:
        repeat_as<float>(few, i, all);
        break;
      case DType::bf16:
        repeat_as<bf16>(few, i, all);
        break;
      case DType::f64:
        repeat_as<double>(few, i, all);
        break;
      case DType::i32:
        repeat_as<std::int32_t>(few, i, all);
        break;
    }
  }
}

void multiply_sums(PlainTensors& tensors, double times) {
  for (std::size_t i = 0; i < tensors.infos().size(); ++i) {
    if (tensors.infos()[i].per_image) continue;
    for (double& x : tensors.values<double>(i)) x *= times;
  }
}

void weigh_images(PlainTensors& few, std::string_view factor, std::int64_t images) {
  double* values = few.at<double>(factor);
  const TensorInfo& info = *std::ranges::find(few.infos(), factor, &TensorInfo::name);
  if (!info.per_image) throw std::logic_error(fmt::format("tensor {} has no images that could be summed over", factor));
  const std::int64_t distinct = info.dims.front(), size = info.size() / distinct;
  for (std::int64_t n = 0; n < distinct; ++n) {
    const std::int64_t times = (images - n + distinct - 1) / distinct;
    for (std::int64_t i = 0; i < size; ++i) values[n * size + i] *= static_cast<double>(times);
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
