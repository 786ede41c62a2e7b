// main() of all test programs that use Kokkos, which a process may initialise only once. If Kokkos cannot start, each
// test skips and says why.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <optional>
#include <string>
#include <utility>

#include "primitives/op/kokkos_scope.hpp"

namespace {

class SkipEach : public testing::EmptyTestEventListener {
 public:
  explicit SkipEach(std::string why) : why_(std::move(why)) {}
  void OnTestStart(const testing::TestInfo&) override { GTEST_SKIP() << why_; }

 private:
  std::string why_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::optional<Kokkos::ScopeGuard> kokkos;
  if (const std::string why = brickwork::kokkos_absent(); why.empty()) {
    kokkos.emplace(argc, argv);
  } else {
    testing::UnitTest::GetInstance()->listeners().Append(new SkipEach(why));
  }
  return RUN_ALL_TESTS();
}
