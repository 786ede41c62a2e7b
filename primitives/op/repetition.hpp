// Maps a tensor to a smaller one that has fewer images: the larger one repeats them.
#pragma once
#include "primitives/op/plain_tensors.hpp"

namespace brickwork {

// Calls with(i, f) for each element i of `all`; element f of `few` is the one that it repeats. The tensors have equal
// ranks and differ in one dimension at most.
template <class With>
void for_each_repeated(const TensorInfo& all, const TensorInfo& few, const With& with) {
  std::int64_t outer = 1;
  for (std::size_t d = 0; d < few.dims.size() && all.dims.at(d) == few.dims[d]; ++d) outer *= few.dims[d];
  if (outer == few.size()) outer = 1;
  const std::int64_t size = all.size() / outer, few_size = few.size() / outer;
  for (std::int64_t o = 0, i = 0; o < outer; ++o) {
    for (std::int64_t end = i + size, f = 0; i < end; ++i) {
      with(static_cast<std::size_t>(i), static_cast<std::size_t>(o * few_size + f));
      if (++f == few_size) f = 0;
    }
  }
}

}  // namespace brickwork
