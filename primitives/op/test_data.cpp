#include "test_data.hpp"

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
    }
  }
}

}  // namespace brickwork::test_data
