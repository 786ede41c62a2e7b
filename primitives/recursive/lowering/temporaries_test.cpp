#include "primitives/recursive/lowering/temporaries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/recursive/op/cells.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;

Ref temporary(int i) { return {.place = Place::temporary, .index = i, .mode = RowMode::own}; }
Instruction op(int to, const Ref& a, const Ref& b = {}) {
  return {.op = TapeOp::add, .over = Over::node, .matrix = false, .to = temporary(to), .a = a, .b = b, .c = {}};
}
std::vector<int> results_of(const Tape& tape) {
  std::vector<int> results;
  for (const Instruction& in : tape) results.push_back(in.to.index);
  return results;
}

TEST(RecursiveTemporaries, TwoServeAChain) {
  Stage stage;
  stage.tape = {op(0, {}), op(1, temporary(0)), op(2, temporary(1)), op(3, temporary(2))};
  EXPECT_EQ(share_temporaries(stage), 2);
  EXPECT_THAT(results_of(stage.tape), ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(stage.tape[3].a.index, 0);
}

TEST(RecursiveTemporaries, AValueThatIsReadLaterKeepsItsPlace) {
  Stage stage;
  stage.tape = {op(0, {}), op(1, temporary(0)), op(2, temporary(1)), op(3, temporary(2), temporary(0))};
  EXPECT_EQ(share_temporaries(stage), 3);
  EXPECT_THAT(results_of(stage.tape), ElementsAre(0, 1, 2, 1));
  EXPECT_EQ(stage.tape[3].b.index, 0);
}

TEST(RecursiveTemporaries, OperandsAndTheTapeUseTheSame) {
  Stage stage;
  stage.tape = {op(4, {}), op(5, temporary(4))};
  stage.operands.push_back(
      {.over = Over::node, .matrix = false, .tape = {op(0, {}), op(1, {}), op(2, temporary(0), temporary(1))}});
  EXPECT_EQ(share_temporaries(stage), 3);
}

// 14 operations of a TreeLSTM's inner node, of which two write states.
TEST(RecursiveTemporaries, ATreeLstmNeedsFour) {
  const Lowered lowered = lower(cell_of(RecursiveModel::tree_lstm), {}, false);
  EXPECT_EQ(lowered.forward.inner[0].temporaries, 4);
  EXPECT_EQ(lowered.forward.leaves[0].temporaries, 3);
}

}  // namespace
}  // namespace brickwork
