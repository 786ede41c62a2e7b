#include "baselines/cuda/cuda_tensor.hpp"
#ifdef BRICKWORK_HAS_CUDA_RUNTIME
#include <functional>
#include <numeric>
#include <span>

#include "baselines/tensors/channels_last.hpp"

namespace brickwork::cuda {
namespace {

std::int64_t product(std::span<const std::int64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies());
}

}  // namespace

Tensor::Tensor(std::string name, std::vector<std::int64_t> dims, DType dtype, bool channels_last)
    : name_(std::move(name)),
      dims_(std::move(dims)),
      dtype_(dtype),
      channels_last_(channels_last),
      host_(static_cast<std::size_t>(product(dims_)) * size_of(dtype)),
      device_(host_.size()) {}

void Tensor::pack(const PlainTensors& plain) {
  const ChannelOrder order{dims_[0], dims_[1], product(std::span(dims_).subspan(2)), channels_last_};
  if (dtype_ == DType::bf16) {
    order.reorder(plain.at<float>(name_), reinterpret_cast<bf16*>(host_.data()));
  } else {
    order.reorder(plain.at<float>(name_), reinterpret_cast<float*>(host_.data()));
  }
  device_.copy_from(host_.data());
}

void Tensor::unpack(PlainTensors& plain) {
  device_.copy_to(host_.data());
  const ChannelOrder order{dims_[0], dims_[1], product(std::span(dims_).subspan(2)), channels_last_};
  if (dtype_ == DType::bf16) {
    order.restore(reinterpret_cast<const bf16*>(host_.data()), plain.at<float>(name_));
  } else {
    order.restore(reinterpret_cast<const float*>(host_.data()), plain.at<float>(name_));
  }
}

std::vector<std::int64_t> Tensor::strides() const {
  std::vector<std::int64_t> strides(dims_.size());
  std::int64_t stride = channels_last_ ? dims_[1] : 1;
  for (std::size_t d = dims_.size(); d-- > 2;) {
    strides[d] = stride;
    stride *= dims_[d];
  }
  strides[1] = channels_last_ ? 1 : stride;
  strides[0] = product(std::span(dims_).subspan(1));
  return strides;
}

}  // namespace brickwork::cuda
#endif
