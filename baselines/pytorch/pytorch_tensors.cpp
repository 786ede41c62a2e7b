#include "baselines/pytorch/pytorch_tensors.hpp"

#include <algorithm>
#include <cctype>

namespace brickwork::pytorch {
namespace {

template <class T, class TheirT = T>
at::Tensor view_as(const PlainTensors& tensors, const TensorInfo& info) {
  T* const values = const_cast<T*>(tensors.at<T>(info.name));
  return torch::from_blob(values, info.dims, c10::CppTypeToScalarType<TheirT>::value);
}

}  // namespace

std::string version() { return TORCH_VERSION; }

std::string isa() {
  std::string isa = at::get_cpu_capability();
  std::ranges::transform(isa, isa.begin(), [](char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(c)); });
  return isa;
}

at::Tensor view(const PlainTensors& tensors, std::string_view name) {
  const TensorInfo& info = *std::ranges::find(tensors.infos(), name, &TensorInfo::name);
  switch (info.dtype) {
    case DType::f32:
      return view_as<float>(tensors, info);
    case DType::bf16:
      return view_as<bf16, at::BFloat16>(tensors, info);
    case DType::f64:
      return view_as<double>(tensors, info);
    case DType::i32:
      return view_as<std::int32_t>(tensors, info);
  }
  return {};
}

}  // namespace brickwork::pytorch
