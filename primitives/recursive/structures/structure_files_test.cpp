#include "primitives/recursive/structures/structure_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "primitives/recursive/structures/linearizer.hpp"
#include "primitives/recursive/structures/structures.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Forest parsed(const std::string& text) { return parse_trees(text, "trees.txt"); }

// Why a text is refused; empty if it is not.
std::string refusal_of_text(const std::string& text) {
  try {
    parsed(text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(ParentPointers, GiveTheParentOfEachNode) {
  const Forest f = parsed("2 2 4 4 -1\n-1\n1 -1 1 2\n");
  EXPECT_EQ(f.kind, StructureKind::tree);
  EXPECT_THAT(f.first_node, ElementsAre(0, 5, 6, 10));
  EXPECT_THAT(f.children_of(2), ElementsAre(0, 1));
  EXPECT_THAT(f.children_of(4), ElementsAre(2, 3));
  EXPECT_THAT(f.children_of(7), ElementsAre(6, 8));
  EXPECT_THAT(f.children_of(8), ElementsAre(9));
  EXPECT_EQ(f.edges(), 7);
}

TEST(Brackets, NumberANodeAfterItsChildren) {
  const Forest f = parsed("(3 (2 fine) (2 work))\n(4 one)\n(1 (2 (0 a) (0 b) (0 c)) (3 d))\n");
  EXPECT_EQ(f.kind, StructureKind::tree);
  EXPECT_THAT(f.first_node, ElementsAre(0, 3, 4, 10));
  EXPECT_THAT(f.children_of(2), ElementsAre(0, 1));
  EXPECT_THAT(f.children_of(3), IsEmpty());
  EXPECT_THAT(f.children_of(7), ElementsAre(4, 5, 6));
  EXPECT_THAT(f.children_of(8), IsEmpty());
  EXPECT_THAT(f.children_of(9), ElementsAre(7, 8));
}

TEST(Brackets, KeepANodeWithOneChild) {
  const Forest f = parsed("(S (NP (NN time)))");
  EXPECT_EQ(f.nodes(), 3);
  EXPECT_THAT(f.children_of(2), ElementsAre(1));
}

TEST(Brackets, NeedNoLabelAboveChildren) {
  const Forest f = parsed("( (S (NP time)(VP flies)))");
  EXPECT_EQ(f.nodes(), 4);
  EXPECT_THAT(f.children_of(3), ElementsAre(2));
}

TEST(Brackets, MayHaveBlanksAnywhere) {
  EXPECT_EQ(parsed("  ( 3( 2  fine )\t(2 work ) )  ").children, parsed("(3 (2 fine) (2 work))").children);
}

TEST(TreeFiles, LeaveEmptyLinesOut) {
  EXPECT_THAT(parsed("\n \n1 -1\n\n\t\n-1").first_node, ElementsAre(0, 2, 3));
  EXPECT_THAT(refusal_of_text("\n\n1 -1\n\n-2"), HasSubstr("trees.txt, line 5: "));
}

TEST(TreeFiles, MayHaveLineEndsOfTwoCharacters) {
  EXPECT_EQ(parsed("2 2 -1\r\n\r\n-1\r\n").children, parsed("2 2 -1\n-1\n").children);
  EXPECT_EQ(parsed("(3 (2 a) (2 b))\r\n(1 c)\r\n").first_node, parsed("(3 (2 a) (2 b))\n(1 c)\n").first_node);
}

TEST(TreeFiles, HaveOneForm) {
  EXPECT_EQ(refusal_of_text("-1\n(3 a)\n"),
            "trees.txt, line 2: the tree is written as brackets, but the first tree as parent pointers");
  EXPECT_EQ(refusal_of_text("(3 a)\n\n-1\n"),
            "trees.txt, line 3: the tree is written as parent pointers, but the first tree as brackets");
}

TEST(ParentPointers, RefuseWhatIsNoParent) {
  EXPECT_EQ(refusal_of_text("-1\n2 x -1\n"),
            "trees.txt, line 2: the parent of node 1 is 'x': it must be from 0 to 2, or -1 for the root");
  for (const char* wrong : {"3", "-2", "1.5", "1x", "+1", "0x1", "--1", "2147483648", "4294967297",
                            "-99999999999999999999", "18446744073709551617"}) {
    EXPECT_THAT(refusal_of_text(std::string("2 ") + wrong + " -1"),
                HasSubstr(std::string("node 1 is '") + wrong + "'"));
  }
}

TEST(ParentPointers, RefuseNoRootAndSeveral) {
  EXPECT_EQ(refusal_of_text("-1\n1 0"), "trees.txt, line 2: no node has the parent -1, but a tree has a root");
  EXPECT_EQ(refusal_of_text("3 -1 3 -1 -1"),
            "trees.txt, line 1: nodes 1 and 3 have the parent -1, but a tree has one root");
}

TEST(ParentPointers, RefuseCycles) {
  EXPECT_EQ(refusal_of_text("-1\n1 -1 2"), "trees.txt, line 2: node 2 is on a cycle, but no node may be below itself");
  // Nodes 0 and 4 are below the cycle of nodes 2 and 3.
  EXPECT_THAT(refusal_of_text("4 -1 3 2 2"), HasSubstr("node 3 is on a cycle"));
}

TEST(Brackets, RefuseUnbalancedBrackets) {
  EXPECT_EQ(refusal_of_text("(1 a)\n(3 (2 fine) (2 work)\n"),
            "trees.txt, line 2: the bracket at character 1 is not closed");
  EXPECT_EQ(refusal_of_text("(3 (2 fine) (2 work)))"),
            "trees.txt, line 1: the tree ends before character 22: a line has one tree");
  EXPECT_THAT(refusal_of_text("("), HasSubstr("character 1 is not closed"));
}

TEST(Brackets, RefuseASecondTreeInALine) {
  EXPECT_THAT(refusal_of_text("(3 a) (2 b)"), HasSubstr("the tree ends before character 7"));
  EXPECT_THAT(refusal_of_text("(3 a) b"), HasSubstr("the tree ends before character 7"));
}

TEST(Brackets, RefuseAWordBesideChildren) {
  EXPECT_EQ(refusal_of_text("(3 (2 fine (1 a)) (2 work))"),
            "trees.txt, line 1: the bracket at character 4 has both a word and children");
  EXPECT_EQ(refusal_of_text("(3 (2 fine) work)"),
            "trees.txt, line 1: the bracket at character 1 has both a word and children");
  EXPECT_THAT(refusal_of_text("((2 fine) work)"), HasSubstr("character 1 has both a word and children"));
}

TEST(Brackets, RefuseASecondWord) {
  EXPECT_EQ(refusal_of_text("(3 (2 fine work))"),
            "trees.txt, line 1: the bracket at character 4 has a second word, 'work'");
}

TEST(Brackets, RefuseANodeWithoutContent) {
  EXPECT_EQ(refusal_of_text("(3 (2 fine) (2))"),
            "trees.txt, line 1: the bracket at character 13 has neither children nor a word after its label");
  EXPECT_THAT(refusal_of_text("()"), HasSubstr("character 1 has neither"));
}

TEST(Brackets, MayBeVeryDeep) {
  constexpr std::int32_t kDepth = 100'000;
  std::string text;
  for (std::int32_t level = 1; level < kDepth; ++level) text += "(S ";
  const Forest f = parsed(text + "(S word" + std::string(kDepth, ')'));
  ASSERT_EQ(f.nodes(), kDepth);
  Linearizer linearize(1);
  EXPECT_EQ(linearize(f).levels.size(), std::size_t{kDepth});
  EXPECT_THAT(refusal_of_text(text), HasSubstr("character 1 is not closed"));
}

TEST(ParentPointers, MayBeVeryDeep) {
  constexpr std::int32_t kDepth = 100'000;
  std::string text;
  for (std::int32_t node = 1; node < kDepth; ++node) text += std::to_string(node) + " ";
  const Forest f = parsed(text + "-1");
  EXPECT_EQ(f.children, sequences(1, kDepth).children);
}

class TreeFile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Tests may run at the same time: each has its own folder.
  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "brickwork_tree_file_test" /
                                        testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string path_ = folder_ / "trees.txt";
};

TEST_F(TreeFile, IsReadLikeItsText) {
  std::ofstream(path_) << "2 2 -1\n-1\n";
  EXPECT_EQ(read_trees(path_).children, parsed("2 2 -1\n-1\n").children);
  std::ofstream(path_) << "2 2 -1\n7\n";
  EXPECT_THAT([&] { read_trees(path_); },
              testing::ThrowsMessage<std::invalid_argument>(HasSubstr(path_ + ", line 2: the parent of node 0")));
}

TEST_F(TreeFile, MustBeReadableAndHaveATree) {
  const auto expect_refused = [](const std::string& path, const std::string& why) {
    EXPECT_THAT([&] { read_trees(path); }, testing::ThrowsMessage<std::runtime_error>(path + why));
  };
  expect_refused(path_, " cannot be read: No such file or directory");
  expect_refused(folder_, " is a directory");
  std::ofstream(path_) << "\n \r\n";
  expect_refused(path_, " has no tree");
}

}  // namespace
}  // namespace brickwork
