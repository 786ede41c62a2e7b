// Fixture of the tests of every brick: the backends on each instruction set, and the random values of a sweep.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <string>

#include "kernels/brgemm/brgemm.hpp"
#include "kernels/cpu/generated/generated_tiles.hpp"
#include "kernels/testing/brgemm_check.hpp"

namespace brickwork {

constexpr BatchKind kBatchKinds[] = {BatchKind::strides, BatchKind::offsets};

struct Target {
  Backend backend;
  Isa isa;
  TileCode code = TileCode::compiled;
};

inline void PrintTo(const Target& target, std::ostream* out) {
  *out << to_string(target.backend) << " on " << to_string(target.isa)
       << (target.code == TileCode::generated ? ", generated" : "");
}

// One backend on one ISA. Skips with the reason if this build or machine lacks it.
class Brgemm : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    const BackendInfo info = brgemm_backend(GetParam().backend);
    if (!info.absent_reason.empty()) GTEST_SKIP() << info.absent_reason;
    if (GetParam().isa != Isa::best && std::ranges::find(info.isas, GetParam().isa) == info.isas.end())
      GTEST_SKIP() << "this build or machine lacks " << to_string(GetParam().isa);
    if (GetParam().code == TileCode::generated && tile_generator_version().empty())
      GTEST_SKIP() << "this build or system generates no code";
  }

  Result<BrgemmKernelPtr> make(const BrgemmShape& shape, BrgemmHints hints = {}) const {
    hints.code = GetParam().code;
    return make_brgemm(shape, hints, GetParam().backend, GetParam().isa);
  }

  // Stops at the first case that fails, as the next ones would mostly fail alike.
  bool passes(const BrgemmCase& test) const {
    const auto kernel = make(test.shape, test.hints);
    EXPECT_TRUE(kernel) << kernel.reason();
    if (!kernel) return false;
    const std::string wrong = check_brgemm(**kernel, test);
    EXPECT_EQ(wrong, "") << to_string(test);
    return wrong.empty();
  }
};

// Values that a sweep draws instead of trying all of them; the same ones in every run.
class Draw {
 public:
  int operator()(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }

 private:
  std::mt19937 engine_;
};

// The brick's part of a tuning, and what L1 keeps.
inline SimdTuning draw_tuning(Draw& draw) {
  return {.ahead = draw(3) * 8, .few = draw(3) * 8, .spread = kSpreads[draw(3)], .kept = draw(3) * 16};
}

}  // namespace brickwork
