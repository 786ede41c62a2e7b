// Memory next to guard pages: an access beyond it ends the test, also without sanitizers.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <system_error>

namespace brickwork {

// Memory between two guard pages. An access to a guard page raises a signal.
class GuardedRegion {
 public:
  explicit GuardedRegion(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    bytes_ = (bytes + page_ - 1) / page_ * page_;
    void* mapped = mmap(nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    mapped_ = static_cast<char*>(mapped);
    if (mprotect(mapped_ + page_, bytes_, PROT_READ | PROT_WRITE) != 0)
      throw std::system_error(errno, std::generic_category(), "mprotect");
  }
  GuardedRegion(const GuardedRegion&) = delete;
  GuardedRegion& operator=(const GuardedRegion&) = delete;
  ~GuardedRegion() { munmap(mapped_, bytes_ + 2 * page_); }

  template <class T>
  std::size_t size() const {
    return bytes_ / sizeof(T);
  }
  template <class T>
  T* begin() {
    return reinterpret_cast<T*>(mapped_ + page_);
  }
  template <class T>
  T* end() {
    return begin<T>() + size<T>();
  }

 private:
  std::size_t page_, bytes_;
  char* mapped_;
};

// `count` zeros that end at a guard page, and begin at one if they fill whole pages. The size of T must divide that of
// a page.
template <class T>
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t count) : region_(count * sizeof(T)), data_(region_.template end<T>() - count) {}

  T* data() { return data_; }
  std::span<T> values() { return {data_, region_.template end<T>()}; }

 private:
  GuardedRegion region_;
  T* data_;
};

// Floats that begin or end at a guard page.
class GuardedFloats {
 public:
  GuardedFloats(std::span<const float> values, bool guard_after)
      : region_(values.size_bytes()),
        data_(guard_after ? region_.end<float>() - values.size() : region_.begin<float>()) {
    std::ranges::copy(values, data_);
  }

  float* data() { return data_; }

 private:
  GuardedRegion region_;
  float* data_;
};

}  // namespace brickwork
