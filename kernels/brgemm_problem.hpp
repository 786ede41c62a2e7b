// One problem of the `brgemm` experiment: the brick on contiguous blocks,
// A [batch][m][k], B [batch][k][n], C [m][n], row-major f32, C = sum over the batch of A_i * B_i (beta 0).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brgemm.hpp"

namespace brickwork {

struct BrgemmProblem {
  std::string name;
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  int count = 1;

  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k * batch);
  }
  double least_flops() const { return flops(); }  // nothing of a product can be left out
  double bytes() const { return 4.0 * static_cast<double>(batch * k * (m + n) + m * n); }
  BrgemmShape shape() const;  // strides batch over the blocks above

  void validate()
      const;  // throws std::invalid_argument with one sentence; sizes 1 .. 2^20, at most 2^30 elements a tensor

  friend bool operator==(const BrgemmProblem& a, const BrgemmProblem& b) {
    return a.m == b.m && a.n == b.n && a.k == b.k && a.batch == b.batch;
  }
};

std::string to_string(const BrgemmProblem&);                // "m28_n64_k64_batch16"
BrgemmProblem parse_brgemm_problem(std::string_view text);  // "m28 n64 k64 batch16", any order; batch defaults to 1
std::vector<std::pair<std::string, std::string>> size_columns(const BrgemmProblem&);

struct BrgemmTensors {
  const float* a = nullptr;
  const float* b = nullptr;
};

}  // namespace brickwork
