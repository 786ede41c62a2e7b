// The problem of one brick call on contiguous blocks: A [batch][m][k], B [batch][k][n], C [m][n], row-major.
#pragma once
#include <cstdint>
#include <string>

#include "kernels/brgemm/brgemm.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

struct BrgemmProblem {
  static const SizeTable<BrgemmProblem>& table();  // "m28 n64 k64 batch16"; batch defaults to 1

  std::string name;
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  int count = 1;

  BrgemmShape shape() const;  // BatchKind::strides; the blocks of A and of B are contiguous; beta 0

  // Throws std::invalid_argument with one sentence unless every size is from 1 to 2^20 and every tensor has at most
  // 2^30 elements.
  void validate() const;
};

}  // namespace brickwork
