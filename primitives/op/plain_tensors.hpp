// A user's tensors: dense, row-major, found by name.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/base/dtype.hpp"

namespace brickwork {

struct TensorInfo {
  std::string name;
  std::vector<std::int64_t> dims;  // outermost first; empty if the problem does not have this tensor
  bool per_image = false;          // one of the dims, mostly the first, is the minibatch
  DType dtype = DType::f32;
  double error = 0;  // of a less exact output: allowed beyond the operation's bound (op.hpp)

  std::int64_t size() const;  // elements; 0 if the problem does not have this tensor
};

// The dims of an optional tensor.
std::vector<std::int64_t> dims_if(bool there, std::vector<std::int64_t> dims);

// The tensors in another type.
std::vector<TensorInfo> with_dtype(std::vector<TensorInfo>, DType);

class PlainTensors {
 public:
  PlainTensors() = default;
  explicit PlainTensors(std::vector<TensorInfo> infos);  // zeros; throws std::bad_alloc

  // Null if the problem does not have the tensor. Throws std::logic_error if the operation has no tensor of this name,
  // or has it in another type.
  template <class T>
  T* at(std::string_view name) {
    return static_cast<T*>(find(name, dtype_of<T>()));
  }
  template <class T>
  const T* at(std::string_view name) const {
    return static_cast<const T*>(find(name, dtype_of<T>()));
  }

  // Empty if the problem does not have the tensor; throws as at() does.
  template <class T>
  std::span<T> values(std::string_view name) {
    return {at<T>(name), size_of(name)};
  }
  template <class T>
  std::span<const T> values(std::string_view name) const {
    return {at<T>(name), size_of(name)};
  }

  void assign(const PlainTensors&);  // copies values; throws std::logic_error if the tensors differ

  // By index instead of name, for code that treats all tensors alike.
  const std::vector<TensorInfo>& infos() const { return infos_; }
  template <class T>
  std::span<T> values(std::size_t i) {
    return values<T>(infos_[i].name);
  }
  template <class T>
  std::span<const T> values(std::size_t i) const {
    return values<T>(infos_[i].name);
  }

 private:
  std::size_t place_of(std::string_view name) const;
  std::size_t size_of(std::string_view name) const;
  void* find(std::string_view name, DType) const;

  std::vector<TensorInfo> infos_;
  std::vector<AlignedBuffer<std::byte>> buffers_;  // one per tensor
};

// with(T()) for the element type T.
template <class With>
auto with_type(DType dtype, const With& with) {
  switch (dtype) {
    case DType::f32:
      return with(float());
    case DType::bf16:
      return with(bf16());
    case DType::i32:
      return with(std::int32_t());
    case DType::f64:
      break;
  }
  return with(double());
}

}  // namespace brickwork
