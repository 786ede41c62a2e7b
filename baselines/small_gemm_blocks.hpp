// The operands of a loop of small GEMMs: own copies of the batch, so that every contender's are equally aligned.
#pragma once
#include <algorithm>
#include <optional>
#include <string>

#include "aligned_buffer.hpp"
#include "contender.hpp"

namespace brickwork {

class SmallGemmBlocks : public Prepared {
 public:
  SmallGemmBlocks(const BrgemmProblem& p, const BrgemmTensors& t)
      : problem(p), a(p.batch * p.m * p.k), b(p.batch * p.k * p.n), c(p.m * p.n), plain_(t) {}

  void pack() final {
    std::copy_n(plain_.a, a.size(), a.data());
    std::copy_n(plain_.b, b.size(), b.data());
  }
  void unpack(float* c_plain) final { std::ranges::copy(c, c_plain); }

 protected:
  const float* a_block(std::int64_t i) const { return a.data() + i * problem.m * problem.k; }
  const float* b_block(std::int64_t i) const { return b.data() + i * problem.k * problem.n; }

  BrgemmProblem problem;
  AlignedBuffer<float> a, b, c;

 private:
  BrgemmTensors plain_;
};

inline std::optional<std::string> needs_one_thread(const Resources& r) {
  if (r.threads == 1) return std::nullopt;
  return "the brgemm experiment runs on one thread: ask for --threads 1";
}

}  // namespace brickwork
