// A row of things in near-equal pieces.
#pragma once
#include <algorithm>

namespace brickwork {

struct Span {
  int begin, size;
  int end() const { return begin + size; }
};

// 0 .. total in the fewest pieces of at most `most`, sizes differing by at most one: the first `larger` pieces have one
// more than the others.
struct EqualSpans {
  EqualSpans(int total, int most)
      : pieces((total + most - 1) / most),
        size(pieces == 0 ? 0 : total / pieces),
        larger(pieces == 0 ? 0 : total % pieces) {}
  Span operator[](int i) const { return {i * size + std::min(i, larger), size + (i < larger ? 1 : 0)}; }

  int pieces, size, larger;
};

}  // namespace brickwork
