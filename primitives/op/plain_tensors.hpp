// Tensors as a user has them: dense, row-major, by name.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aligned_buffer.hpp"
#include "dtype.hpp"

namespace brickwork {

struct TensorInfo {
  std::string name;
  std::vector<std::int64_t> dims;  // outermost first; none: the problem does without this tensor
  bool per_image = false;          // one of dims, mostly the first, is the minibatch
  DType dtype = DType::f32;
  double error = 0;  // of an output less exact than the others: allowed beyond the operation's bound (op.hpp)

  std::int64_t size() const;  // elements; 0 where the problem does without
};

// The same tensors in another type.
std::vector<TensorInfo> with_dtype(std::vector<TensorInfo>, DType);

class PlainTensors {
 public:
  PlainTensors() = default;
  explicit PlainTensors(std::vector<TensorInfo> infos);  // zeros; throws std::bad_alloc

  // Null where the problem does without the tensor. Throws std::logic_error for a name that the operation does not
  // have, and for another type.
  template <class T>
  T* at(std::string_view name) {
    return static_cast<T*>(find(name, dtype_of<T>()));
  }
  template <class T>
  const T* at(std::string_view name) const {
    return static_cast<const T*>(find(name, dtype_of<T>()));
  }

  void assign(const PlainTensors&);  // the values of the same tensors; throws std::logic_error for others

  // By place instead of name, for whoever treats all tensors alike.
  const std::vector<TensorInfo>& infos() const { return infos_; }
  template <class T>
  std::span<T> values(std::size_t i) {
    return {at<T>(infos_[i].name), static_cast<std::size_t>(infos_[i].size())};
  }
  template <class T>
  std::span<const T> values(std::size_t i) const {
    return {at<T>(infos_[i].name), static_cast<std::size_t>(infos_[i].size())};
  }

 private:
  void* find(std::string_view name, DType) const;

  std::vector<TensorInfo> infos_;
  std::vector<AlignedBuffer<std::byte>> buffers_;  // one for each
};

}  // namespace brickwork
