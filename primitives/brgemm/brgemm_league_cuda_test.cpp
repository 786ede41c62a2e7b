// Leagues of brick calls on a GPU. Without a GPU these tests skip and say why.
#include <gtest/gtest.h>

#include "kernels/gpu/cuda/cuda_memory.hpp"
#include "primitives/brgemm/brgemm_league_on_cuda.hpp"
#include "primitives/brgemm/testing/brgemm_league_check.hpp"
#include "primitives/testing/cuda_settings.hpp"

namespace brickwork {
namespace {

class BrgemmLeagueOnCuda : public OnCudaSettings {
 protected:
  template <class T>
  static std::string wrong(const char* text) {
    return wrong_league<T>(text, [](const auto& p, const auto& a, const auto& b, auto& c) {
      const CudaMemory<T> a_there(a), b_there(b), c_there(c);
      brgemm_league_on_cuda(brgemm_league(p, a_there.data(), b_there.data(), c_there.data()), GetParam());
      cuda_finish();
      c_there.copy_to(c.data());
    });
  }
};

TEST_P(BrgemmLeagueOnCuda, IsExact) {
  for (const char* text : kLeagues) {
    if (takes_f32(GetParam())) {
      EXPECT_EQ(wrong<float>(text), "") << text;
    }
    if (takes_bf16(GetParam())) {
      EXPECT_EQ(wrong<bf16>(text), "") << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Setting, BrgemmLeagueOnCuda, testing::ValuesIn(cuda_settings()), name_of_cuda_setting);

}  // namespace
}  // namespace brickwork
