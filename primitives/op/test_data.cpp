#include "test_data.hpp"

#include <fmt/format.h>

namespace brickwork::test_data {
namespace {

template <class T>
void repeat_as(std::span<const double> from, std::span<T> to) {
  for (std::size_t i = 0, f = 0; i < to.size(); ++i) {
    to[i] = static_cast<T>(from[f]);
    if (++f == from.size()) f = 0;
  }
}

}  // namespace

void repeat(const PlainTensors& few, PlainTensors& all) {
  for (std::size_t i = 0; i < few.infos().size(); ++i) {
    switch (all.infos()[i].dtype) {
      case DType::f32:
        repeat_as(few.values<double>(i), all.values<float>(i));
        break;
      case DType::f64:
        repeat_as(few.values<double>(i), all.values<double>(i));
        break;
      case DType::i32:
        repeat_as(few.values<double>(i), all.values<std::int32_t>(i));
        break;
    }
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

}  // namespace brickwork::test_data
