#include "shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "names.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const std::string header = "name,C,K,H,W,R,S,stride_h,stride_w,pad_h,pad_w,count\n";

std::vector<ConvProblem> read(const std::string& text, const ConvEpilogue& epilogue = {}) {
  std::istringstream in(text);
  return read_conv_shapes(in, "net.csv", 28, epilogue);
}

TEST(Shapes, ReadALayer) {
  const auto problems = read(header + "first,3,64,224,224,7,5,2,1,3,2,4\n", {.relu = true});
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(to_string(problems[0]), "N28_C3_K64_H224_W224_R7_S5_sh2_sw1_ph3_pw2_relu");
  EXPECT_EQ(problems[0].name, "first");
  EXPECT_EQ(problems[0].count, 4);
}

TEST(Shapes, TakeWhatSpreadsheetsWrite) {
  const auto problems = read(
      "\xEF\xBB\xBF\"K\",C,H,W,R,S,stride_h,stride_w,pad_h,pad_w,count,name\r\n"
      "\r\n8,4,7,7,1,1,1,1,0,0,1,\"a, \"\"b\"\"\"\r\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].K, 8);
  EXPECT_EQ(problems[0].name, "a, \"b\"");
}

TEST(Shapes, ErrorsNameFileLineColumnAndRemedy) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "net.csv: the file is empty: its first line must be name,C,K"},
      {header, "net.csv:1: there is no problem after the header: add a line"},
      {"name,C,K,H,W,R,S,stride_h,stride_w,pad_h,pad_w\n", "net.csv:1: column count is missing"},
      {"name,name,K\n", "net.csv:1: column name is there twice"},
      {"name,C,K,D\n", "net.csv:1: unknown column 'D': the columns are name,C,K"},
      {header + "a,1,1\n", "net.csv:2: 3 fields where the header has 12 columns"},
      {header + "a,1,1,8,8,1,1,1,1,0,0,1,9\n", "net.csv:2: 13 fields where the header has 12 columns"},
      {header + "\na,6x,1,8,8,1,1,1,1,0,0,1\n", "net.csv:3: column C: '6x' is no whole number: write a number such"},
      {header + "a,1,,8,8,1,1,1,1,0,0,1\n", "net.csv:2: column K: '' is no whole number"},
      {header + "a,1,1.5,8,8,1,1,1,1,0,0,1\n", "net.csv:2: column K: '1.5' is no whole number"},
      {header + "a,0,1,8,8,1,1,1,1,0,0,1\n", "net.csv:2: column C: 0 is out of range: it must be from 1 to"},
      {header + "a,1,1,8,8,1,1,1,1,-1,0,1\n", "net.csv:2: column pad_h: -1 is out of range: it must be from 0 to"},
      {header + "a,1,1,8,8,1,1,1,1,0,0,0\n", "net.csv:2: column count: 0 is out of range: it must be from 1 to"},
      {header + "a,99999999999999999999,1,8,8,1,1,1,1,0,0,1\n", "net.csv:2: column C: 99999999999999999999 is out of"},
      {header + "a,1000000,1,100000,100000,1,1,1,1,0,0,1\n", "net.csv:2: src has "},
      {header + "a,1,1,8,8,9,1,1,1,0,0,1\n", "net.csv:2: R is 9: it must not exceed the padded input"},
      {header + "a,1,1,8,8,1,1,1,1,0,0,1\na,2,1,8,8,1,1,1,1,0,0,1\n",
       "net.csv:3: column name: 'a' is already the name of line 2"},
      {header + ",1,1,8,8,1,1,1,1,0,0,1\n", "net.csv:2: column name: it is empty"},
      {header + "\"a,1,1,8,8,1,1,1,1,0,0,1\n", "net.csv:2: the quotes do not match"},
      {header + "a\"b,1,1,8,8,1,1,1,1,0,0,1\n", "net.csv:2: the quotes do not match"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<std::invalid_argument>(HasSubstr(message))) << text;
  }
}

TEST(Shapes, ResNet50IsTheWholeNetwork) {
  std::ifstream in(find_shapes("resnet50"));
  const auto problems = read_conv_shapes(in, "resnet50", 1, {});
  ASSERT_EQ(problems.size(), 20U);
  int count = 0;
  double flop = 0;
  for (const auto& p : problems) {
    count += p.count;
    flop += p.count * p.flops();
  }
  EXPECT_EQ(count, 53);
  EXPECT_NEAR(flop, 7.712e9, 0.001e9);
}

TEST(Shapes, BrgemmSetsAreReadable) {
  std::ifstream quick(find_shapes("brgemm")), full(find_shapes("brgemm-full"));
  EXPECT_EQ(read_brgemm_shapes(quick, "brgemm").size(), 102U);
  EXPECT_EQ(read_brgemm_shapes(full, "brgemm-full").size(), 256U);
}

TEST(Shapes, UnknownSetsAndFilesAreRefused) {
  EXPECT_THAT([] { find_shapes("resnet5"); }, ThrowsMessage<std::invalid_argument>(
                                                  HasSubstr("unknown shape set 'resnet5'; the closest is 'resnet50'")));
  EXPECT_THAT([] { find_shapes("no/such.csv"); },
              ThrowsMessage<std::invalid_argument>("there is no shape file 'no/such.csv'"));
}

TEST(Names, TheClosestIsOffered) {
  const std::vector<std::string> known{"simd", "libxsmm", "onednn"};
  EXPECT_EQ(closest_name("one-dnn", known), "onednn");
  EXPECT_EQ(closest_name("smid", known), "simd");
  EXPECT_EQ(closest_name("x", std::vector<std::string>{}), "");
  EXPECT_NO_THROW(require_known("contender", "simd", known));
  EXPECT_THAT([&] { require_known("contender", "libxsm", known); },
              ThrowsMessage<std::invalid_argument>(
                  "unknown contender 'libxsm'; the closest is 'libxsmm'; there are: simd, libxsmm, onednn"));
}

}  // namespace
}  // namespace brickwork
