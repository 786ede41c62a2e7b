#include "primitives/testing/oracle/sown_values.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <limits>

namespace brickwork::oracle {
namespace {

std::span<float> floats_of(PlainTensors& tensors, std::string_view name) {
  const auto info = std::ranges::find(tensors.infos(), name, &TensorInfo::name);
  return tensors.values<float>(static_cast<std::size_t>(info - tensors.infos().begin()));
}

}  // namespace

float SownValues::sown_value() {
  const float sign = up_to(1) == 0 ? 1.0F : -1.0F;
  const Sown one = sown_ == Sown::all ? static_cast<Sown>(1 + up_to(4)) : sown_;
  switch (one) {
    case Sown::zeros:
      return sign * 0.0F;
    case Sown::denormals:
      return sign * 1e-40F;
    case Sown::huge:
      return sign * 1e15F;
    case Sown::infinities:
      return sign * std::numeric_limits<float>::infinity();
    default:
      return std::numeric_limits<float>::quiet_NaN();
  }
}

void SownValues::fill(std::span<float> values, float scale) {
  std::uniform_real_distribution<float> uniform(-scale, scale);
  std::ranges::generate(values, [&] { return uniform(random_); });
  if (sown_ == Sown::nothing || values.empty() || up_to(1) == 0) return;
  const bool many = sown_ == Sown::zeros || sown_ == Sown::denormals;
  for (std::size_t i = up_to(many ? values.size() / 4 : 3); i > 0; --i) values[up_to(values.size() - 1)] = sown_value();
}

void SownValues::fill(PlainTensors& tensors) {
  for (const TensorInfo& info : tensors.infos()) {
    if (info.dtype == DType::f32) fill(tensors, info.name);
  }
}

void SownValues::fill(PlainTensors& tensors, std::string_view name, float scale) {
  fill(floats_of(tensors, name), scale);
}

void SownValues::fill_whole(PlainTensors& tensors, std::string_view name, int low, int high) {
  const auto info = std::ranges::find(tensors.infos(), name, &TensorInfo::name);
  std::int32_t* const values = tensors.at<std::int32_t>(name);
  for (std::int64_t i = 0; i < info->size(); ++i) {
    values[i] = low + static_cast<std::int32_t>(up_to(static_cast<std::size_t>(high - low)));
  }
}

Sown random_sown() {
  return *rc::gen::element(Sown::nothing, Sown::nothing, Sown::zeros, Sown::denormals, Sown::huge, Sown::infinities,
                           Sown::nans, Sown::all);
}

unsigned random_seed() { return *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<unsigned>()); }

PlainTensors unwritten(std::vector<TensorInfo> infos) {
  PlainTensors tensors(std::move(infos));
  for (std::size_t i = 0; i < tensors.infos().size(); ++i) {
    std::ranges::fill(tensors.values<float>(i), std::numeric_limits<float>::quiet_NaN());
  }
  return tensors;
}

}  // namespace brickwork::oracle
