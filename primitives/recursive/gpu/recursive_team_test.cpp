// Tests of the device code of recursive models on the host: teams of the host with the portable bricks, in memory that
// the host reaches only by copies.
#include <gtest/gtest.h>

#include <random>

#include "primitives/nest/one_region.hpp"
#include "primitives/recursive/gpu/recursive_on_device.hpp"
#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/structures/testing/random_forest.hpp"
#include "primitives/recursive/testing/recursive_check.hpp"
#include "primitives/testing/memory_apart.hpp"

namespace brickwork {
namespace {

// Each thread of the host is a team that meets the others; or one team of several threads does everything.
class RecursiveOnHostTeams final : public RecursiveTarget {
 public:
  RecursiveOnHostTeams(bool one_team, bool staged) : one_team_(one_team), staged_(staged) {}

  std::int64_t shares() const override { return one_team_ ? 1 : Kokkos::DefaultHostExecutionSpace().concurrency(); }
  std::unique_ptr<DeviceMemory> memory(std::size_t bytes) const override {
    return std::make_unique<MemoryApart>(bytes);
  }
  Result<RecursivePasses> passes(const RecursiveShapes& shapes) const override {
    return RecursivePasses{"teams", [*this, shapes](const RecursiveRun& run) {
                             const TeamBrick<float> brick{shapes.weights, staged_};
                             this->run(recursive_body_on_device(shapes, run, brick), brick.scratch_bytes());
                           }};
  }

 private:
  template <class Body>
  void run(const Body& body, std::int64_t scratch_bytes) const {
    if (one_team_) {
      const Kokkos::DefaultHostExecutionSpace space;
      const int threads = std::min(space.concurrency(), 2);
      return parallel_league(space, 1, threads, scratch_bytes, [&](const auto& team, std::int64_t, void* scratch) {
        body.run(
            team, 0, 1, [&] { team.barrier(); }, scratch);
      });
    }
    in_one_region([&](std::int64_t thread, std::int64_t threads, const auto& meet) {
      AlignedBuffer<unsigned char> scratch(static_cast<std::size_t>(scratch_bytes));
      body.run(OneThread(), thread, threads, meet, scratch.data());
    });
  }

  bool one_team_, staged_;
};

TEST(RecursiveOnTeams, IsRightForEveryModel) {
  std::mt19937 random(3);
  for (const ModelOf& model : recursive_models()) {
    const Cell& cell = cell_of(model.model);
    for (const std::int64_t H : {5, 40}) {
      const Forest forest = random_forest(
          {.kind = cell.kind(), .structures = 3, .most_nodes = 20, .most_children = 1 + (cell.most_children() != 1)},
          random);
      for (const bool one_team : {false, true}) {
        for (const bool staged : {false, true}) {
          const RecursivePlan plan = plan_recursive(H, {.threads = 2});
          EXPECT_EQ(recursive_mistake({&cell, H, forest, RecursiveUse::inference}, plan,
                                      RecursiveOnHostTeams(one_team, staged)),
                    "")
              << model.name << " H" << H << (one_team ? " one team" : "") << (staged ? " staged" : "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
