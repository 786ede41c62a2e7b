// Copies of the members of a call's A and B, one behind the other, in another type or for another memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

inline std::int64_t extent_of(std::int64_t rows, std::int64_t ld, std::int64_t cols) {
  return rows == 0 ? 0 : (rows - 1) * ld + cols;
}

template <class T>
class MemberCopies {
 public:
  MemberCopies(const BrgemmShape& s, int rows, const Batch& batch)
      : kind_(batch.kind),
        size_(batch.size),
        extent_a_(s.a_transposed && rows != 0 ? extent_of(s.k, s.lda, rows) : extent_of(rows, s.lda, s.k)),
        extent_b_(extent_of(s.k, s.ldb, s.n)),
        distance_a_(whole(extent_a_)),
        distance_b_(whole(extent_b_)) {
    a.resize(static_cast<std::size_t>(size_ * distance_a_)), b.resize(static_cast<std::size_t>(size_ * distance_b_));
    for (std::int64_t i = 0; i < size_; ++i) {
      for (std::int64_t e = 0; e < extent_a_; ++e) a[i * distance_a_ + e] = T(batch.a<float>(i)[e]);
      for (std::int64_t e = 0; e < extent_b_; ++e) b[i * distance_b_ + e] = T(batch.b<float>(i)[e]);
    }
  }

  // The batch of the copies at addresses at_a and at_b, of the same kind; of_a and of_b are the addresses of the lists.
  std::vector<std::uint64_t> list_a() const { return list(distance_a_); }
  std::vector<std::uint64_t> list_b() const { return list(distance_b_); }
  Batch batch(const T* at_a, const T* at_b, const std::uint64_t* of_a, const std::uint64_t* of_b) const {
    constexpr std::int64_t size = sizeof(T);
    if (kind_ == BatchKind::strides) return Batch::strided(at_a, at_b, size_, distance_a_ * size, distance_b_ * size);
    return Batch::at_offsets(at_a, at_b, size_, of_a, of_b);
  }

  std::vector<T> a, b;

 private:
  static std::int64_t whole(std::int64_t extent) {
    return (extent + 15) / 16 * 16;
  }  // keeps every member as aligned
     // as the first

  std::vector<std::uint64_t> list(std::int64_t distance) const {
    std::vector<std::uint64_t> at;
    for (std::int64_t i = 0; i < size_; ++i) at.push_back(static_cast<std::uint64_t>(i * distance) * sizeof(T));
    return at;
  }

  BatchKind kind_;
  std::int64_t size_, extent_a_, extent_b_, distance_a_, distance_b_;
};

}  // namespace brickwork
