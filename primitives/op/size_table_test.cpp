#include "primitives/op/size_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace brickwork {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::ThrowsMessage;

struct Box {
  static const SizeTable<Box>& table() {
    static const SizeTable<Box> table{
        .kind = "box",
        .sizes = {{.key = "N", .column = "N", .member = &Box::images, .setting = true},
                  {.key = "h", .column = "height", .member = &Box::height},
                  {.key = "w", .column = "width", .member = &Box::width, .like = &Box::height},
                  {.key = "p", .column = "pad", .member = &Box::pad, .least = 0}},
        .words = {choice("open or shut", {"open", "shut"}, &Box::shut)}};
    return table;
  }
  void validate() const { check_sizes(*this, 100, "100"); }

  std::int64_t images = 1, height = 0, width = 0, pad = 0;
  bool shut = false;
};

void fails(std::string_view text, const char* what) {
  EXPECT_THAT([&] { parse_problem<Box>(text); }, ThrowsMessage<std::invalid_argument>(HasSubstr(what))) << text;
}

TEST(SizeTable, ReadsWordsInAnyOrder) {
  const Box box = parse_problem<Box>("p2, shut h4_N3");
  EXPECT_EQ(to_string(box), "N3_h4_w4_p2_shut");
  EXPECT_TRUE(same_sizes(parse_problem<Box>(to_string(box)), box));
}

TEST(SizeTable, TakesMissingSizesFromTheDefault) {
  const Box given{.images = 28, .height = 9, .width = 9, .pad = 1, .shut = true};
  EXPECT_EQ(to_string(parse_problem<Box>("h4", given)), "N28_h4_w4_p1_shut");
  EXPECT_EQ(to_string(parse_problem<Box>("h4 w5 N1 p0 open", given)), "N1_h4_w5_p0");
}

TEST(SizeTable, RefusesWrongTextInOneSentence) {
  fails("", "'' lacks h: add a word such as h64");
  fails("h4 x5",
        "'x5' is no size and no other word: expected one of the keys N h w p followed by a number, as in N64, "
        "or open or shut");
  fails("h4 ajar", "'ajar' is no size and no other word");
  fails("h", "'h' has no whole number after h");
  fails("h4.5", "'h4.5' has no whole number after h");
  fails("h99999999999999999999", "is too large: it must be below 2^63");
  fails("h4 h5", "'h5' gives height a second time after 'h4': give it once");
  fails("h4 open shut", "'shut' gives open a second time after 'open'");
  fails("h0", "h is 0: it must be from 1 to 100");
  fails("h4 p-1", "p is -1: it must be from 0 to 100");
  fails("h101", "h is 101: it must be from 1 to 100");
}

TEST(SizeTable, HasColumnsAndSettings) {
  const Box box{.images = 2, .height = 3, .width = 4, .shut = true};
  EXPECT_THAT(size_columns(box), ElementsAre(Pair("N", "2"), Pair("height", "3"), Pair("width", "4"), Pair("pad", "0"),
                                             Pair("open", "shut")));
  EXPECT_THAT(setting_parts(box), ElementsAre("N=2", "shut"));
  EXPECT_THAT(setting_parts(Box{}), ElementsAre("N=1"));
}

TEST(SizeTable, EqualityFollowsFromTheTable) {
  const Box box{.height = 3, .width = 4};
  Box other = box;
  EXPECT_TRUE(same_sizes(box, other));
  other.pad = 1;
  EXPECT_FALSE(same_sizes(box, other));
  other = box;
  other.shut = true;
  EXPECT_FALSE(same_sizes(box, other));
}

TEST(SizeTable, SetsAWordByItsColumn) {
  Box box;
  set_word(box, "open", "shut");
  EXPECT_TRUE(box.shut);
  EXPECT_THAT([&] { set_word(box, "open", "ajar"); },
              ThrowsMessage<std::invalid_argument>("'ajar' is no open: expected open or shut"));
  EXPECT_THROW(set_word(box, "colour", "red"), std::logic_error);
}

}  // namespace
}  // namespace brickwork
