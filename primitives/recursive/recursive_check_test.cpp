// Results that are wrong in one place do not pass the comparison with the definition.
#include "primitives/recursive/testing/recursive_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/op/testing/cell_case.hpp"
#include "primitives/recursive/structures/structures.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kFeaturesOfState = 16;

RecursivePlan some_plan() { return plan_recursive(kFeaturesOfState, {.threads = 2}); }

RecursiveCase case_of(RecursiveModel model, Forest forest) {
  return {&cell_of(model), kFeaturesOfState, std::move(forest)};
}

RecursiveResults results(const RecursiveCase& c, const PlainTensors& in) {
  Recursive driver = recursive_driver(c, some_plan());
  return driven(c, in, driver);
}

// The sentence about results that `spoil` makes wrong.
template <class Spoil>
std::string difference_after(RecursiveModel model, const Spoil& spoil) {
  const RecursiveCheck check(case_of(model, perfect_trees(2, 4)));
  RecursiveResults found = results(check.of(), check.in());
  EXPECT_EQ(check.difference(found), "");
  spoil(found);
  return check.difference(found);
}

// The sentence about the right results for another structure of as many nodes.
std::string difference_for(RecursiveModel model, const ChildrenLists& right, const ChildrenLists& wrong) {
  const StructureKind kind = cell_of(model).kind();
  const RecursiveCheck check(case_of(model, forest_with(kind, {right})));
  return check.difference(results(case_of(model, forest_with(kind, {wrong})), check.in()));
}

TEST(RecursiveCheck, FindsAWrongChild) {
  const ChildrenLists tree{{1, 2}, {3, 4}, {}, {5, 6}, {}, {}, {}}, swapped{{1, 2}, {4, 3}, {}, {5, 6}, {}, {}, {}};
  const ChildrenLists other{{1, 4}, {3, 2}, {}, {5, 6}, {}, {}, {}}, without{{1, 2}, {3}, {}, {5, 6}, {}, {}, {}};
  EXPECT_EQ(difference_for(RecursiveModel::nary_tree_lstm, tree, tree), "");
  EXPECT_THAT(difference_for(RecursiveModel::nary_tree_lstm, tree, swapped), HasSubstr("states: the outputs in h"));
  for (const auto model : {RecursiveModel::tree_lstm, RecursiveModel::tree_gru, RecursiveModel::mv_rnn}) {
    EXPECT_THAT(difference_for(model, tree, other), HasSubstr("states: the outputs in")) << cell_of(model).name();
    EXPECT_THAT(difference_for(model, tree, without), HasSubstr("states: the outputs in")) << cell_of(model).name();
  }
}

// A level out of order reads a child's state before it is computed: what an earlier minibatch left in its row.
TEST(RecursiveCheck, FindsAStaleRow) {
  const RecursiveCheck other(case_of(RecursiveModel::tree_lstm, perfect_trees(2, 4)), "other");
  const RecursiveResults stale = results(other.of(), other.in());
  EXPECT_THAT(difference_after(RecursiveModel::tree_lstm,
                               [&](RecursiveResults& found) {
                                 std::copy_n(stale.states.at<float>("c") + 7 * kFeaturesOfState, kFeaturesOfState,
                                             found.states.at<float>("c") + 7 * kFeaturesOfState);
                               }),
              HasSubstr("states: the outputs in c"));
}

TEST(RecursiveCheck, FindsARowThatIsNotComputed) {
  const RecursiveCheck check(case_of(RecursiveModel::tree_rnn, perfect_trees(1, 3)));
  Recursive driver = recursive_driver(check.of(), some_plan());
  RecursiveResults found = driven(check.of(), check.in(), driver);
  Forest larger = perfect_trees(1, 4);
  PlainTensors nan(recursive_inputs(case_of(RecursiveModel::tree_rnn, larger)));
  poison(nan);
  driver.run(larger, {nan.at<float>("x")});
  driver.linearize(check.of().forest);  // and no run
  driver.get_state(0, found.states.at<float>("h"));
  EXPECT_THAT(check.difference(found), HasSubstr("states: the outputs in h"));
}

TEST(RecursiveCheck, FindsAWrongGradient) {
  for (const char* name : {"dx_i", "U_f.gradient", "b_o.gradient"}) {
    EXPECT_THAT(difference_after(RecursiveModel::tree_lstm,
                                 [&](RecursiveResults& found) { found.gradients.at<float>(name)[7] *= 1.01F; }),
                HasSubstr(std::string("gradients: the outputs in ") + name));
  }
}

TEST(RecursiveCheck, FindsATransposedGradient) {
  EXPECT_THAT(difference_after(RecursiveModel::tree_gru,
                               [](RecursiveResults& found) {
                                 float* const d = found.gradients.at<float>("U_h.gradient");
                                 for (std::int64_t i = 0; i < kFeaturesOfState; ++i) {
                                   for (std::int64_t j = 0; j < i; ++j)
                                     std::swap(d[i * kFeaturesOfState + j], d[j * kFeaturesOfState + i]);
                                 }
                               }),
              HasSubstr("gradients: the outputs in U_h.gradient"));
}

// What a driver returns that adds to the gradients of an earlier run.
TEST(RecursiveCheck, FindsGradientsOfTwoRuns) {
  EXPECT_THAT(difference_after(RecursiveModel::tree_gru,
                               [](RecursiveResults& found) {
                                 for (float& x : found.gradients.values<float>("U_r.gradient")) x *= 2;
                               }),
              HasSubstr("gradients: the outputs in U_r.gradient"));
}

TEST(RecursiveCheck, FindsAnOutputThatIsNotWritten) {
  EXPECT_THAT(difference_after(RecursiveModel::mv_rnn,
                               [](RecursiveResults& found) {
                                 found.gradients.at<float>("dX")[3] = std::numeric_limits<float>::quiet_NaN();
                               }),
              HasSubstr("gradients: the outputs in dX"));
}

}  // namespace
}  // namespace brickwork
