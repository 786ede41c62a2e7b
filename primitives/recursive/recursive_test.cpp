// Recursive models on the host against their definitions.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>
#include <stdexcept>

#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/structures/structures.hpp"
#include "primitives/recursive/structures/testing/random_forest.hpp"
#include "primitives/recursive/testing/recursive_check.hpp"
#include "primitives/testing/usable.hpp"

namespace brickwork {
namespace {

RecursivePlan usual_plan(std::int64_t H) { return plan_recursive(H, {.threads = 2}); }

// The usual plan with one pass off that is on in it, or on that is off, for each pass.
std::vector<RecursivePlan> other_plans(std::int64_t H) {
  std::vector<RecursivePlan> all;
  for (const auto& size : RecursivePlan::table().sizes) {
    if (size.least > 0) continue;
    RecursivePlan& other = all.emplace_back(usual_plan(H));
    other.*size.member = 1 - other.*size.member;
    // Only one division of the nodes may be on.
    const bool divides = size.member == &RecursivePlan::subtrees || size.member == &RecursivePlan::unroll ||
                         size.member == &RecursivePlan::refactor;
    if (!divides || other.*size.member == 0) continue;
    for (const auto other_division : {&RecursivePlan::subtrees, &RecursivePlan::unroll, &RecursivePlan::refactor}) {
      if (other_division != size.member) other.*other_division = 0;
    }
  }
  return all;
}
std::vector<RecursivePlan> plans(std::int64_t H) {
  std::vector<RecursivePlan> all = other_plans(H);
  all.push_back(usual_plan(H));
  return all;
}

Forest random_forest_of(const Cell& cell, std::mt19937& random) {
  const std::int32_t most = cell.most_children() == 0 ? 1 + random_below(6, random) : cell.most_children();
  return random_forest({.kind = cell.kind(),
                        .structures = 1 + random_below(4, random),
                        .most_nodes = 1 + random_below(30, random),
                        .most_children = most},
                       random);
}

class RecursiveOfModel : public testing::TestWithParam<ModelOf> {
 protected:
  const Cell& cell() const { return cell_of(GetParam().model); }
  std::string mistake(std::int64_t H, const Forest& forest, const RecursivePlan& plan) const {
    return recursive_mistake({&cell(), H, forest}, plan);
  }
};

// A draw has a forest, a use, and three plans: the usual one and two with one pass changed. 1,000 draws are more than
// 100 forests for each plan. With one feature a gradient may be a single sum that cancels out to any degree: it is no
// random draw, but in the tests below.
TEST_P(RecursiveOfModel, AgreesWithItsDefinitionOnRandomForests) {
  EXPECT_TRUE(rc::check("all plans agree with the definition", [&] {
    std::mt19937 random(*rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>()));
    const std::int64_t H = 2 + random_below(random_below(4, random) == 0 ? 70 : 16, random);
    const auto use = random_below(2, random) == 0 ? RecursiveUse::training : RecursiveUse::inference;
    const RecursiveCheck check({&cell(), H, random_forest_of(cell(), random), use}, std::to_string(random()));
    std::vector<RecursivePlan> some = other_plans(H);
    std::ranges::shuffle(some, random);
    some.resize(2);
    some.push_back(usual_plan(H));
    for (const RecursivePlan& plan : some) {
      const std::string mistake = check.mistake(plan);
      if (!mistake.empty()) RC_FAIL(fmt::format("H{} {}: {}", H, to_string(plan), mistake));
    }
  }));
}

TEST_P(RecursiveOfModel, AgreesForHiddenSizesThatNoBlockDivides) {
  std::mt19937 random(1);
  for (const std::int64_t H : {1, 5, 33, 65, 100, 129}) {
    const Forest forest = random_forest_of(cell(), random);
    for (const RecursivePlan& plan : plans(H)) {
      EXPECT_EQ(mistake(H, forest, plan), "") << "H" << H << " " << to_string(plan);
      if (H > 64) break;  // takes long
    }
  }
}

TEST_P(RecursiveOfModel, AgreesForEveryBlockOfFeaturesAndRows) {
  std::mt19937 random(2);
  const Forest forest = random_forest_of(cell(), random);
  for (const std::int64_t bk : {16, 32, 48}) {
    for (const std::int64_t rows : {1, 2, 5, 6, 7, 100}) {
      RecursivePlan plan = usual_plan(40);
      plan.bk = bk, plan.rows = rows;
      EXPECT_EQ(mistake(40, forest, plan), "") << to_string(plan);
    }
  }
}

TEST_P(RecursiveOfModel, AgreesOnEveryBackendAndIsa) {
  std::mt19937 random(3);
  const RecursiveCheck check({&cell(), 20, random_forest_of(cell(), random)});
  for (const BackendInfo& backend : brgemm_backends()) {
    if (!backend.absent_reason.empty()) continue;
    EXPECT_EQ(check.mistake(usual_plan(20), backend.backend), "") << to_string(backend.backend);
    for (const Isa isa : backend.isas) {
      EXPECT_EQ(check.mistake(usual_plan(20), backend.backend, isa), "")
          << to_string(backend.backend) << " " << to_string(isa);
    }
  }
}

// All runs are by one driver. Memory of a larger minibatch stays, and its values must not show in a smaller one.
TEST_P(RecursiveOfModel, AgreesForMinibatchesThatGrowAndShrink) {
  constexpr std::int64_t H = 24;
  Forest before = sequences(1, 1);
  before.kind = cell().kind();
  for (const RecursivePlan& plan : plans(H)) {
    for (const RecursiveUse use : {RecursiveUse::inference, RecursiveUse::training}) {
      std::mt19937 random(4);
      auto driver = Recursive::make({.cell = &cell(), .H = H, .use = use}, plan, Backend::simd);
      ASSERT_TRUE(driver) << driver.reason();
      for (const std::int32_t nodes : {1, 12, 60, 5, 1, 30}) {
        const std::int32_t most = cell().most_children() == 0 ? 4 : cell().most_children();
        const Forest forest = random_forest({cell().kind(), /*structures=*/1 + nodes / 10, nodes, most}, random);
        const RecursiveCheck check({&cell(), H, forest, use});
        EXPECT_EQ(check.difference(driven(check.of(), check.in(), *driver, before)), "")
            << to_string(plan) << " " << nodes;
        before = forest;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, RecursiveOfModel, testing::ValuesIn(recursive_models()), [](const auto& model) {
  std::string name(model.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Recursive, TakesLevelsWiderThanACall) {
  RecursivePlan plan = usual_plan(48);
  plan.rows = 3;
  EXPECT_EQ(recursive_mistake({&cell_of(RecursiveModel::tree_lstm), 48, perfect_trees(2, 5)}, plan), "");
}

TEST(Recursive, TakesANodeWithMoreChildrenThanRowsOfACall) {
  Forest star;
  std::vector<std::vector<std::int32_t>> children(100);
  for (std::int32_t child = 1; child < 100; ++child) children[0].push_back(child);
  star.add(children);
  RecursivePlan plan = usual_plan(24);
  plan.rows = 7;
  EXPECT_EQ(recursive_mistake({&cell_of(RecursiveModel::tree_lstm), 24, star}, plan), "");
}

// Why a driver refuses one node with `children` children.
std::string refusal_of_star(RecursiveModel model, std::int64_t most_children, std::int32_t children) {
  Recursive driver = *Recursive::make({.cell = &cell_of(model), .H = 16, .most_children = most_children},
                                      usual_plan(16), Backend::simd);
  std::vector<std::vector<std::int32_t>> star(static_cast<std::size_t>(children) + 1);
  for (std::int32_t child = 1; child <= children; ++child) star[0].push_back(child);
  Forest forest;
  forest.add(star);
  try {
    driver.linearize(forest);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Recursive, RefusesMoreChildrenThanTheCellOrTheWorkHas) {
  EXPECT_EQ(refusal_of_star(RecursiveModel::tree_lstm, 0, 64), "");
  EXPECT_EQ(refusal_of_star(RecursiveModel::tree_lstm, 0, 65),
            "structure 0: node 0 has 65 children: at most 64 are allowed");
  EXPECT_EQ(refusal_of_star(RecursiveModel::tree_lstm, 3, 4),
            "structure 0: node 0 has 4 children: at most 3 are allowed");
  EXPECT_EQ(refusal_of_star(RecursiveModel::nary_tree_lstm, 9, 3),
            "structure 0: node 0 has 3 children: at most 2 are allowed");
}

TEST(Recursive, RefusesNoStructureAndNoFeatures) {
  Recursive driver =
      *Recursive::make({.cell = &cell_of(RecursiveModel::tree_rnn), .H = 16}, usual_plan(16), Backend::simd);
  EXPECT_THROW(driver.run({}, {nullptr}), std::invalid_argument);
  EXPECT_FALSE(Recursive::make({.cell = &cell_of(RecursiveModel::tree_rnn), .H = 0}, usual_plan(16), Backend::simd));
}

TEST(Recursive, GradientsNeedADriverForTraining) {
  const RecursiveCheck check({&cell_of(RecursiveModel::tree_rnn), 16, perfect_trees(1, 2), RecursiveUse::inference});
  Recursive driver = recursive_driver(check.of(), usual_plan(16));
  driven(check.of(), check.in(), driver);
  EXPECT_THROW(driver.run_backward({}, {}, {}), std::logic_error);
}

}  // namespace
}  // namespace brickwork
