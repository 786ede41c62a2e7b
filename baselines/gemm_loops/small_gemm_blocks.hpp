// Operands of a loop of small GEMMs: copies of the batch, so that the operands of all contenders are equally aligned.
#pragma once
#include <algorithm>
#include <optional>
#include <string>

#include "baselines/contender/contender.hpp"
#include "kernels/base/aligned_buffer.hpp"
#include "primitives/brgemm/op/brgemm_problem.hpp"

namespace brickwork {

class SmallGemmBlocks : public Prepared {
 public:
  static std::optional<std::string> unsupported(const Resources& r) {
    if (r.threads == 1) return std::nullopt;
    return "the loop of small GEMMs runs on one thread: ask for --threads 1";
  }

  SmallGemmBlocks(const BrgemmProblem& p, const PlainTensors& in)
      : problem(p), a(p.batch * p.m * p.k), b(p.batch * p.k * p.n), c(p.m * p.n), in_(in) {}

  void pack() final {
    std::copy_n(in_.at<float>("A"), a.size(), a.data());
    std::copy_n(in_.at<float>("B"), b.size(), b.data());
  }
  void unpack(PlainTensors& out) final { std::ranges::copy(c, out.at<float>("C")); }

 protected:
  const float* a_block(std::int64_t i) const { return a.data() + i * problem.m * problem.k; }
  const float* b_block(std::int64_t i) const { return b.data() + i * problem.k * problem.n; }

  BrgemmProblem problem;
  AlignedBuffer<float> a, b, c;

 private:
  const PlainTensors& in_;
};

}  // namespace brickwork
