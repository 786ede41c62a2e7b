// The objects behind the C API's handles.
#pragma once
#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace brickwork::library {

// No number is given twice, whatever it is for: a stale handle, or one of another kind, is never taken for a live one.
inline std::uintptr_t next_number() {
  static std::atomic<std::uintptr_t> last = 0;
  return ++last;
}

template <class Object, class Handle>
class Handles {
 public:
  explicit Handles(std::string_view kind) : kind_(kind) {}

  Handle add(std::shared_ptr<Object> object) {
    const std::uintptr_t number = next_number();
    const std::unique_lock lock(mutex_);
    objects_.emplace(number, std::move(object));
    return reinterpret_cast<Handle>(number);
  }

  // Both throw std::invalid_argument where there is no such object. Who holds one keeps it alive.
  std::shared_ptr<Object> at(Handle handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == objects_.end()) refuse();
    return found->second;
  }
  void remove(Handle handle) {
    const std::unique_lock lock(mutex_);
    if (objects_.erase(reinterpret_cast<std::uintptr_t>(handle)) == 0) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw std::invalid_argument(
        fmt::format("this is no {0}'s handle: it was destroyed, never made, or is of another kind", kind_));
  }

  std::string_view kind_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

}  // namespace brickwork::library
