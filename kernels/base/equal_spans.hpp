// Divides 0 .. total into near-equal spans.
#pragma once
#include <algorithm>

namespace brickwork {

struct Span {
  int begin, size;
  int end() const { return begin + size; }
};

// The fewest spans of at most `most`. Sizes differ by at most one: the first `larger` spans have one element more than
// the others.
struct EqualSpans {
  EqualSpans(int total, int most)
      : count((total + most - 1) / most),
        size(count == 0 ? 0 : total / count),
        larger(count == 0 ? 0 : total % count) {}
  Span operator[](int i) const { return {i * size + std::min(i, larger), size + (i < larger ? 1 : 0)}; }

  int count, size, larger;
};

}  // namespace brickwork
