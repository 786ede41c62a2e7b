// The portable and the staged brick run by a team of threads, with shared scratch, as on a device.
#include "kernels/portable/brgemm_portable.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <limits>
#include <thread>
#include <vector>

#include "kernels/gpu/fma/brgemm_staged.hpp"
#include "kernels/testing/brgemm_check.hpp"

namespace brickwork {
namespace {

class ThreadTeam {
 public:
  ThreadTeam(int rank, int size, std::barrier<>& barrier) : rank_(rank), size_(size), barrier_(&barrier) {}
  int rank() const { return rank_; }
  int size() const { return size_; }
  void barrier() const { barrier_->arrive_and_wait(); }

 private:
  int rank_, size_;
  std::barrier<>* barrier_;
};

class TeamKernel final : public BrgemmKernel {
 public:
  TeamKernel(const BrgemmShape& shape, int size, bool with_scratch)
      : BrgemmKernel(shape), size_(size), with_scratch_(with_scratch) {}
  std::string_view isa() const override { return "threads"; }

 private:
  void run(const BrgemmCall& call) const override {
    std::barrier barrier(size_);
    std::vector<float> scratch(static_cast<std::size_t>(staged_scratch<float>(shape()) / sizeof(float)),
                               std::numeric_limits<float>::quiet_NaN());
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size_; ++rank)
      threads.emplace_back([&, rank] {
        const ThreadTeam team(rank, size_, barrier);
        if (with_scratch_) {
          brgemm_staged<float, float>(team, shape(), call, scratch.data());
        } else {
          brgemm_portable<float, float>(team, shape(), call);
        }
      });
  }

  int size_;
  bool with_scratch_;
};

void check(const BrgemmCase& test) {
  for (int size : {1, 2, 3, 8})
    for (bool with_scratch : {false, true})
      ASSERT_EQ(check_brgemm(TeamKernel(test.shape, size, with_scratch), test), "")
          << to_string(test) << " team of " << size << (with_scratch ? " with" : " without") << " scratch";
}

TEST(PortableTeam, IsExactForEveryTile) {
  for (int m : {1, 3, 4, 5, 8, 17})
    for (int n : {1, 7, 8, 9, 24, 33})
      for (int k : {1, 15, 16, 17, 40})
        for (bool a_transposed : {false, true})
          check({.shape = padded_shape(m, n, k, 1, (m + k) % 2, BatchKind::strides, a_transposed),
                 .batch = 3,
                 .guard_after = n % 2 == 0});
}

TEST(PortableTeam, IsExactForEveryBatch) {
  for (BatchKind kind : {BatchKind::strides, BatchKind::offsets})
    for (int beta : {0, 1})
      for (std::int64_t batch : {0, 1, 5}) check({.shape = padded_shape(9, 20, 18, 2, beta, kind), .batch = batch});
}

TEST(PortableTeam, IsExactForFewerRows) {
  for (int rows : {0, 1, 4, 6, 13})
    for (bool guard_after : {false, true})
      for (bool a_transposed : {false, true})
        check({.shape = padded_shape(13, 19, 17, 1, 1, BatchKind::offsets, a_transposed),
               .batch = 2,
               .guard_after = guard_after,
               .rows = rows});
}

TEST(PortableTeam, AppliesTheEpilogueOnce) {
  for (int steps = 0; steps < kNumLastSteps; ++steps)
    for (int rows : {-1, 5})
      check({.shape = padded_shape(10, 19, 21, 1, steps % 2, BatchKind::offsets),
             .batch = 3,
             .rows = rows,
             .bias = (steps & 1) != 0,
             .residual = (steps & 2) != 0,
             .last = kLastSteps[steps]});
}

// 48 KiB is a device's default limit on shared memory; Kokkos and CUDA keep a little of it.
TEST(PortableTeam, ScratchFitsADevice) {
  EXPECT_LE(staged_scratch<float>(padded_shape(256, 64, 1024, 0, 0, BatchKind::strides)), 47 * 1024);
}

}  // namespace
}  // namespace brickwork
