#include "primitives/op/plain_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace brickwork {

std::int64_t TensorInfo::size() const {
  if (dims.empty()) return 0;
  std::int64_t elements = 1;
  for (const std::int64_t dim : dims) elements *= dim;
  return elements;
}

std::vector<std::int64_t> dims_if(bool there, std::vector<std::int64_t> dims) {
  if (!there) dims.clear();
  return dims;
}

std::vector<TensorInfo> with_dtype(std::vector<TensorInfo> infos, DType dtype) {
  for (TensorInfo& info : infos) info.dtype = dtype;
  return infos;
}

PlainTensors::PlainTensors(std::vector<TensorInfo> infos) : infos_(std::move(infos)) {
  for (const TensorInfo& info : infos_) {
    buffers_.emplace_back(static_cast<std::size_t>(info.size()) * brickwork::size_of(info.dtype));
  }
}

void PlainTensors::assign(const PlainTensors& from) {
  const auto bytes = [](const AlignedBuffer<std::byte>& buffer) { return buffer.size(); };
  if (!std::ranges::equal(buffers_, from.buffers_, {}, bytes, bytes)) {
    throw std::logic_error("the assigned tensors must have the same sizes");
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) std::ranges::copy(from.buffers_[i], buffers_[i].begin());
}

std::size_t PlainTensors::place_of(std::string_view name) const {
  const auto info = std::ranges::find(infos_, name, &TensorInfo::name);
  if (info == infos_.end()) throw std::logic_error(fmt::format("there is no tensor '{}'", name));
  return static_cast<std::size_t>(info - infos_.begin());
}

std::size_t PlainTensors::size_of(std::string_view name) const {
  return static_cast<std::size_t>(infos_[place_of(name)].size());
}

void* PlainTensors::find(std::string_view name, DType dtype) const {
  const DType found = infos_[place_of(name)].dtype;
  if (found != dtype) {
    throw std::logic_error(fmt::format("tensor {} is {}, not {}", name, to_string(found), to_string(dtype)));
  }
  const auto& buffer = buffers_[place_of(name)];
  return buffer.size() == 0 ? nullptr : const_cast<std::byte*>(buffer.data());
}

}  // namespace brickwork
