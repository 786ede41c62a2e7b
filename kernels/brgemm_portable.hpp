// The brick as plain loops, for any host or device and any types: the oracle of the other backends, and the brick of a
// Kokkos device lambda. brgemm.hpp states the contract.
#pragma once
#include <cstdint>

#include "brgemm.hpp"
#include "host_device.hpp"

namespace brickwork {

// A batch answers where member i lies.
template <class TA, class TB>
struct StrideBatch {
  const TA* first_a;
  const TB* first_b;
  std::int64_t stride_a, stride_b;

  BRICKWORK_HOST_DEVICE const TA* a(std::int64_t i) const { return first_a + i * stride_a; }
  BRICKWORK_HOST_DEVICE const TB* b(std::int64_t i) const { return first_b + i * stride_b; }
};

template <class TA, class TB>
struct OffsetBatch {
  const TA* base_a;
  const TB* base_b;
  const std::uint64_t* offsets_a;
  const std::uint64_t* offsets_b;

  BRICKWORK_HOST_DEVICE const TA* a(std::int64_t i) const { return at(base_a, offsets_a[i]); }
  BRICKWORK_HOST_DEVICE const TB* b(std::int64_t i) const { return at(base_b, offsets_b[i]); }

 private:
  // In integers, so that an offset may also wrap round and point below the base.
  template <class T>
  BRICKWORK_HOST_DEVICE static const T* at(const T* base, std::uint64_t bytes) {
    return reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(base) + bytes);
  }
};

template <class TA, class TB>
struct PointerBatch {
  const TA* const* pointers_a;
  const TB* const* pointers_b;

  BRICKWORK_HOST_DEVICE const TA* a(std::int64_t i) const { return pointers_a[i]; }
  BRICKWORK_HOST_DEVICE const TB* b(std::int64_t i) const { return pointers_b[i]; }
};

// One rows x cols tile of C, its top left corner at (row, col): held in registers over the whole batch.
template <int rows, int cols, class TC, class Batch>
BRICKWORK_HOST_DEVICE void brgemm_portable_tile(const BrgemmShape& shape, const Batch& batch, std::int64_t batch_size,
                                                std::int64_t row, int col, TC* c) {
  TC acc[rows][cols];
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) acc[i][j] = shape.beta == 0 ? TC(0) : c[(row + i) * shape.ldc + col + j];

  for (std::int64_t member = 0; member < batch_size; ++member) {
    const auto* a = batch.a(member) + row * shape.lda;
    const auto* b = batch.b(member) + col;
    for (int k = 0; k < shape.k; ++k)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) acc[i][j] += TC(a[i * shape.lda + k]) * TC(b[k * shape.ldb + j]);
  }

  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) c[(row + i) * shape.ldc + col + j] = acc[i][j];
}

// C = beta * C + the sum over the batch; shape.batch_kind is not looked at, the type of the batch says it.
template <class TC, class Batch>
BRICKWORK_HOST_DEVICE void brgemm_portable(const BrgemmShape& shape, const Batch& batch, std::int64_t batch_size,
                                           TC* c) {
  constexpr int rows = 4, cols = 8;  // 32 accumulators: registers of every machine; edges go by single rows and columns
  for (int row = 0; row < shape.m;) {
    const bool full_rows = shape.m - row >= rows;
    for (int col = 0; col < shape.n;) {
      const bool full_cols = shape.n - col >= cols;
      if (full_rows && full_cols)
        brgemm_portable_tile<rows, cols>(shape, batch, batch_size, row, col, c);
      else if (full_rows)
        brgemm_portable_tile<rows, 1>(shape, batch, batch_size, row, col, c);
      else if (full_cols)
        brgemm_portable_tile<1, cols>(shape, batch, batch_size, row, col, c);
      else
        brgemm_portable_tile<1, 1>(shape, batch, batch_size, row, col, c);
      col += full_cols ? cols : 1;
    }
    row += full_rows ? rows : 1;
  }
}

}  // namespace brickwork
