// Products whose sum runs over any number of steps: the brick sums over blocks of steps, and another brick over the
// rest.
#pragma once
#include <array>
#include <vector>

#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

class SumOverSteps {
 public:
  // `shape` is the shape for blocks of shape.k steps each. Sums are over `most` steps; with `any`, over any number up
  // to it.
  template <class Make>
  static Result<SumOverSteps> make(const BrgemmShape& shape, std::int64_t most, bool any, const Make& make) {
    SumOverSteps sums;
    const auto add = [&](int k, Bricks& bricks) -> Result<bool> {
      for (const std::size_t beta : {0, 1}) {
        BrgemmShape of = shape;
        of.k = k;
        of.beta = static_cast<int>(beta);
        auto brick = make(of);
        if (!brick) return {brick.status(), brick.reason()};
        bricks.of_beta[beta] = *std::move(brick);
      }
      return true;
    };
    if (auto added = add(shape.k, sums.blocks_); !added) return {added.status(), added.reason()};
    sums.rests_.resize(static_cast<std::size_t>(shape.k));
    for (int rest = 1; rest < shape.k; ++rest) {
      if (!any && rest != most % shape.k) continue;
      auto added = add(rest, sums.rests_[static_cast<std::size_t>(rest)]);
      if (!added) return {added.status(), added.reason()};
    }
    return sums;
  }

  // The first `rows` rows of c: beta * c + the sum over `steps` steps. Meanwhile `next` is prefetched.
  void operator()(std::size_t beta, const float* a, const float* b, float* c, std::int64_t steps, std::int64_t rows,
                  NextRows next) const {
    const BrgemmShape& shape = blocks_.of_beta[0]->shape();
    const std::int64_t blocks = steps / shape.k, rest = steps % shape.k;
    const auto call = [&](const Bricks& bricks, std::int64_t first, std::int64_t size) {
      (*bricks.of_beta[beta])(
          {.batch = strided_batch(shape, a + first * shape.stride_a, b + first * shape.stride_b, size),
           .c = c,
           .rows = static_cast<int>(rows),
           .read_next = next});
      beta = 1;
      next = {};
    };
    if (blocks > 0) call(blocks_, 0, blocks);
    if (rest > 0) call(rests_[static_cast<std::size_t>(rest)], blocks, 1);
  }

 private:
  struct Bricks {
    std::array<BrgemmKernelPtr, 2> of_beta;
  };

  Bricks blocks_;
  std::vector<Bricks> rests_;  // [number of remaining steps]
};

}  // namespace brickwork
