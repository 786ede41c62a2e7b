// An owning array for tensors: aligned and zero-initialised.
#pragma once
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

namespace brickwork {

template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  AlignedBuffer() = default;

  // Aligned to a cache line; from 256 KiB on aligned to a huge page, and backed by huge pages if the system grants
  // them. Throws std::bad_alloc.
  explicit AlignedBuffer(std::size_t size) : size_(size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    std::size_t bytes = size * sizeof(T);
    const std::align_val_t alignment{bytes >= huge_from ? huge_page : cache_line};
    // Allocates whole huge pages: a tail of small pages is scattered over physical memory, and its lines evict others
    // from a physically indexed L2 (layer 20 of ResNet-50 fell from 510 to 365 GFLOP/s in some runs).
    if (bytes >= huge_from) bytes = (bytes + huge_page - 1) / huge_page * huge_page;
    data_ = {static_cast<T*>(::operator new(bytes, alignment)), Free{alignment}};
#ifdef MADV_HUGEPAGE
    if (bytes >= huge_page)
      madvise(data_.get(), bytes, MADV_HUGEPAGE);  // a hint: if the system refuses it, pages stay small
#endif
    std::fill_n(data_.get(), size, T{});
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }  // elements
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

 private:
  static constexpr std::size_t cache_line = 64, huge_page = std::size_t{2} << 20, huge_from = huge_page / 8;

  struct Free {
    std::align_val_t alignment{cache_line};
    void operator()(T* p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace brickwork
