// Runs tests with every way to run on a GPU.
#pragma once
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "primitives/bricks/cuda_setting.hpp"

namespace brickwork {

// Prints words instead of bytes, some of which are padding: a test's name would differ from run to run.
inline void PrintTo(const CudaSetting& setting, std::ostream* out) {
  *out << to_string(setting.path) << ' ' << to_string(setting.brick);
}

class OnCudaSettings : public testing::TestWithParam<CudaSetting> {
 protected:
  void SetUp() override {
    if (const auto reason = cuda_absent_reason(GetParam().path, GetParam().brick); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
  }
};

constexpr bool takes_f32(const CudaSetting& setting) { return setting.brick != CudaBrick::warpgroups; }
constexpr bool takes_bf16(const CudaSetting& setting) { return setting.brick != CudaBrick::multiply_adds; }

// Settings with bricks that multiply f32 strictly; then all settings.
inline std::vector<CudaSetting> strict_cuda_settings() {
  return {{CudaPath::launcher, CudaBrick::portable, 64},
          {CudaPath::launcher, CudaBrick::staged, 256},
          {CudaPath::kokkos, CudaBrick::portable, 64},
          {CudaPath::kokkos, CudaBrick::staged, 256},
          {CudaPath::launcher, CudaBrick::multiply_adds}};
}
inline std::vector<CudaSetting> cuda_settings() {
  auto settings = strict_cuda_settings();
  settings.push_back({CudaPath::launcher, CudaBrick::tensor_cores});
  settings.push_back({CudaPath::launcher, CudaBrick::warpgroups});
  return settings;
}

inline std::string name_of_cuda_setting(const testing::TestParamInfo<CudaSetting>& setting) {
  std::string name(to_string(setting.param.path));
  constexpr const char* kBricks[] = {"Portable", "Staged", "MultiplyAdds", "TensorCores", "Warpgroups"};
  return name + kBricks[static_cast<int>(setting.param.brick)];
}

}  // namespace brickwork
