// The members A_i, B_i of one call's batch, addressed the same way on host and device.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace brickwork {

enum class BatchKind {
  strides,  // member i is i strides behind member 0
  offsets,  // member i lies offsets[i] BYTES after a base; LIBXSMM's JIT and ours take bytes, so no copy is needed
};

// All distances are in bytes. A pointer is an offset from address 0.
struct Batch {
  BatchKind kind = BatchKind::strides;
  std::int64_t size = 0;
  std::uintptr_t base_a = 0, base_b = 0;
  std::int64_t stride_a = 0, stride_b = 0;
  const std::uint64_t* offsets_a = nullptr;  // null for strides
  const std::uint64_t* offsets_b = nullptr;

  BRICKWORK_HOST_DEVICE static Batch strided(const void* a, const void* b, std::int64_t size, std::int64_t stride_a,
                                             std::int64_t stride_b) {
    return {BatchKind::strides, size, address(a), address(b), stride_a, stride_b, nullptr, nullptr};
  }
  // Offsets are modulo 2^64: an offset may wrap around and point below the base.
  BRICKWORK_HOST_DEVICE static Batch at_offsets(const void* a, const void* b, std::int64_t size,
                                                const std::uint64_t* offsets_a, const std::uint64_t* offsets_b) {
    return {BatchKind::offsets, size, address(a), address(b), 0, 0, offsets_a, offsets_b};
  }

  BRICKWORK_HOST_DEVICE Batch part(std::int64_t first, std::int64_t count) const {
    Batch part = *this;
    part.size = count;
    if (kind == BatchKind::strides) {
      part.base_a += static_cast<std::uint64_t>(first * stride_a);
      part.base_b += static_cast<std::uint64_t>(first * stride_b);
    } else {
      part.offsets_a += first;
      part.offsets_b += first;
    }
    return part;
  }

  // Bytes from the base, modulo 2^64.
  BRICKWORK_HOST_DEVICE std::uint64_t offset_a(std::int64_t i) const {
    return offsets_a ? offsets_a[i] : static_cast<std::uint64_t>(i * stride_a);
  }
  BRICKWORK_HOST_DEVICE std::uint64_t offset_b(std::int64_t i) const {
    return offsets_b ? offsets_b[i] : static_cast<std::uint64_t>(i * stride_b);
  }

  template <class T>
  BRICKWORK_HOST_DEVICE const T* a(std::int64_t i) const {
    return reinterpret_cast<const T*>(base_a + offset_a(i));
  }
  template <class T>
  BRICKWORK_HOST_DEVICE const T* b(std::int64_t i) const {
    return reinterpret_cast<const T*>(base_b + offset_b(i));
  }

 private:
  BRICKWORK_HOST_DEVICE static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
};

}  // namespace brickwork
