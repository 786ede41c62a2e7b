#include "experiments/harness/process/threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <cstdlib>

#include "experiments/harness/terminal/options.hpp"
#include "primitives/planning/machine/bound_to_one.hpp"

namespace brickwork {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// The sentence with which use_threads refuses; empty if it does not.
std::string refusal(int threads) {
  try {
    use_threads(threads);
    return {};
  } catch (const UsageError& e) {
    return e.message;
  }
}

class Threads : public testing::Test {
 protected:
  ~Threads() override {
    omp_set_num_threads(threads_);
    omp_set_dynamic(dynamic_);
    omp_set_max_active_levels(levels_);
    unsetenv("KOKKOS_NUM_THREADS");
  }

 private:
  int threads_ = omp_get_max_threads(), dynamic_ = omp_get_dynamic(), levels_ = omp_get_max_active_levels();
};

TEST_F(Threads, AreAsManyAsRequested) {
  for (const int threads : {1, 2, 3}) {
    use_threads(threads);
    EXPECT_EQ(omp_get_max_threads(), threads);
  }
}

TEST_F(Threads, AreRefusedWhereFewerWouldRun) {
  omp_set_max_active_levels(0);
  EXPECT_THAT(refusal(2), AllOf(HasSubstr("2 threads were asked for"), HasSubstr("OMP_MAX_ACTIVE_LEVELS=0")));
  EXPECT_THAT(refusal(1), IsEmpty());
}

TEST_F(Threads, AreRefusedWhereFewerMayRun) {
  omp_set_dynamic(1);
  EXPECT_THAT(refusal(2), HasSubstr("OMP_DYNAMIC"));
  EXPECT_THAT(refusal(1), IsEmpty());
}

TEST_F(Threads, AreRefusedWhereKokkosIsToldOtherwise) {
  for (const char* text : {"garbage", "", "3", "2x", "-2"}) {
    setenv("KOKKOS_NUM_THREADS", text, 1);
    EXPECT_THAT(refusal(2), HasSubstr(std::string("KOKKOS_NUM_THREADS=") + text + ", but 2 threads were asked for"));
  }
  setenv("KOKKOS_NUM_THREADS", "2", 1);
  EXPECT_THAT(refusal(2), IsEmpty());
}

TEST_F(Threads, SharingACoreGivesAWarning) {
  use_threads(2);
  const BoundToOne bound;
  EXPECT_THAT(shared_cores_warning(), testing::Optional(HasSubstr("2 threads share 1 core:")));
  use_threads(1);
  EXPECT_EQ(shared_cores_warning(), std::nullopt);
}

TEST_F(Threads, ExceedingTheQuotaGivesAWarning) {
  EXPECT_EQ(quota_warning(4, Machine{.usable_cores = 4}), std::nullopt);
  const Machine machine{.usable_cores = 4, .cpu_quota = 1.5};
  EXPECT_EQ(quota_warning(1, machine), std::nullopt);
  EXPECT_THAT(quota_warning(2, machine), testing::Optional(AllOf(HasSubstr("2 threads with a quota of 1.5 CPUs"),
                                                                 HasSubstr("ask for --threads 1"))));
  EXPECT_EQ(quota_warning(2, Machine{.usable_cores = 4, .cpu_quota = 2}), std::nullopt);
  EXPECT_THAT(quota_warning(1, Machine{.cpu_quota = 0.5}),
              testing::Optional(AllOf(HasSubstr("1 thread with a quota of 0.5 CPUs is stopped again and again"),
                                      testing::Not(HasSubstr("--threads")))));
}

}  // namespace
}  // namespace brickwork
