#include "experiments/harness/run/shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "primitives/brgemm/op/brgemm_problem.hpp"
#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const std::string kHeader = "name,C,K,H,W,R,S,stride_h,stride_w,pad_h,pad_w,count\n";
const std::vector<ShapeKind> kKinds = {shape_kind<ConvProblem>(), shape_kind<BrgemmProblem>()};

std::vector<ConvProblem> read(const std::string& text, const ConvProblem& defaults = {.N = 28}) {
  std::istringstream in(text);
  return read_shapes(in, "net.csv", defaults, kKinds);
}

TEST(Shapes, ReadALayer) {
  const auto problems =
      read(kHeader + "first,3,64,224,224,7,5,2,1,3,2,4\n", {.N = 28, .epilogue = {.activation = Activation::relu}});
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(to_string(problems[0]), "N28_C3_K64_H224_W224_R7_S5_sh2_sw1_ph3_pw2_relu");
  EXPECT_EQ(problems[0].name, "first");
  EXPECT_EQ(problems[0].count, 4);
}

TEST(Shapes, AcceptTheFilesOfSpreadsheets) {
  const auto problems = read(
      "\xEF\xBB\xBF\"K\",C,H,W,R,S,stride_h,stride_w,pad_h,pad_w,count,name\r\n"
      "\r\n8,4,7,7,1,1,1,1,0,0,1,\"a, \"\"b\"\"\"\r\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].K, 8);
  EXPECT_EQ(problems[0].name, "a, \"b\"");
}

TEST(Shapes, AcceptNamesInUtf8) {
  EXPECT_EQ(read(kHeader + "caf\u00E9,1,1,8,8,1,1,1,1,0,0,1\n").at(0).name, "caf\u00E9");
}

TEST(Shapes, MissingColumnsHaveDefaults) {
  const auto problems = read("name,C,K,H,R,count\na,3,64,9,3,1\n", {.N = 5, .epilogue = {.bias = true}});
  EXPECT_EQ(to_string(problems[0]), "N5_C3_K64_H9_W9_R3_S3_sh1_sw1_ph0_pw0_bias");
  const auto own = read("name,N,C,K,H,epilogue,count\na,2,3,64,9,none,1\n", {.N = 5, .epilogue = {.bias = true}});
  EXPECT_EQ(to_string(own[0]), "N2_C3_K64_H9_W9_R1_S1_sh1_sw1_ph0_pw0");
}

TEST(Shapes, ErrorsNameFileLineColumnAndRemedy) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "net.csv: the file is empty: a conv problem needs the columns name,C,K,H,count and may have N,W,R,S"},
      {kHeader, "net.csv:1: there is no problem after the header: add a line"},
      {"name,C,K,H,W,R,S,stride_h,stride_w,pad_h,pad_w\n", "net.csv:1: column count is missing"},
      {"name,name,K\n", "net.csv:1: column name is there twice"},
      {"name,C,K,H,count,D\n", "net.csv:1: unknown column 'D': a conv problem needs the columns name,C,K,H,count"},
      {"name,C,H,count\n",
       "net.csv:1: column K is missing: a conv problem needs the columns name,C,K,H,count and may "
       "have N,W,R,S,stride_h,stride_w,pad_h,pad_w,epilogue; a brgemm problem needs the columns "
       "name,m,n,k,count and may have batch"},
      {"name,m,n,k,batch,count\n",
       "net.csv:1: column C is missing: a conv problem needs the columns name,C,K,H,count "
       "and may have N,W,R,S,stride_h,stride_w,pad_h,pad_w,epilogue; these are brgemm "
       "problems"},
      {kHeader + "a,1,1\n", "net.csv:2: 3 fields where the header has 12 columns"},
      {kHeader + "a,1,1,8,8,1,1,1,1,0,0,1,9\n", "net.csv:2: 13 fields where the header has 12 columns"},
      {kHeader + "\na,6x,1,8,8,1,1,1,1,0,0,1\n", "net.csv:3: column C: '6x' is no whole number: write a number such"},
      {kHeader + "a,1,,8,8,1,1,1,1,0,0,1\n", "net.csv:2: column K: '' is no whole number"},
      {kHeader + "a,1,1.5,8,8,1,1,1,1,0,0,1\n", "net.csv:2: column K: '1.5' is no whole number"},
      {kHeader + "a,0,1,8,8,1,1,1,1,0,0,1\n", "net.csv:2: column C: 0 is out of range: it must be from 1 to"},
      {kHeader + "a,1,1,8,8,1,1,1,1,-1,0,1\n", "net.csv:2: column pad_h: -1 is out of range: it must be from 0 to"},
      {kHeader + "a,1,1,8,8,1,1,1,1,0,0,0\n", "net.csv:2: column count: 0 is out of range: it must be from 1 to"},
      {kHeader + "a,99999999999999999999,1,8,8,1,1,1,1,0,0,1\n", "net.csv:2: column C: 99999999999999999999 is out of"},
      {kHeader + "a,1000000,1,100000,100000,1,1,1,1,0,0,1\n", "net.csv:2: src has "},
      {kHeader + "a,1,1,8,8,9,1,1,1,0,0,1\n", "net.csv:2: R is 9: it must not exceed the padded input"},
      {kHeader + "a,1,1,8,8,1,1,1,1,0,0,1\na,2,1,8,8,1,1,1,1,0,0,1\n",
       "net.csv:3: column name: 'a' is already the name of line 2"},
      {"name,C,K,H,epilogue,count\na,1,1,8,relo,1\n", "net.csv:2: 'relo' is no epilogue: expected an epilogue: none"},
      {kHeader + ",1,1,8,8,1,1,1,1,0,0,1\n", "net.csv:2: column name: it is empty"},
      {kHeader + "caf\xE9,1,1,8,8,1,1,1,1,0,0,1\n",
       "net.csv:2: \"caf\uFFFD,1,1,8,8,1,1,1,1,0,0,1\" is not UTF-8: save the file in this encoding"},
      {"\xFF\xFEn,C,K,H,count\n", "net.csv:1: \"\uFFFD\uFFFDn,C,K,H,count\" is not UTF-8"},
      {kHeader + "\"a,1,1,8,8,1,1,1,1,0,0,1\n", "net.csv:2: the quotes do not match"},
      {kHeader + "a\"b,1,1,8,8,1,1,1,1,0,0,1\n", "net.csv:2: the quotes do not match"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<std::invalid_argument>(HasSubstr(message))) << text;
  }
}

TEST(Shapes, ResNet50IsTheWholeNetwork) {
  std::ifstream in(find_shapes("resnet50"));
  const auto problems = read_shapes(in, "resnet50", ConvProblem{}, kKinds);
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

// Multiply-adds of an image and number of convolutions, as published for each network; MobileNet without depthwise
// ones.
TEST(Shapes, OtherNetworksAreWhole) {
  std::ifstream in(find_shapes("vgg-inception-mobilenet"));
  std::map<std::string, std::pair<int, double>> networks;
  for (const auto& p : read_shapes(in, "networks", ConvProblem{}, kKinds)) {
    auto& [count, flop] = networks[p.name.substr(0, p.name.find_first_of("0123456789"))];
    count += p.count;
    flop += p.count * p.flops();
  }
  const std::map<std::string, std::pair<int, double>> published{
      {"vgg", {13, 15.347e9}}, {"inception", {94, 5.711e9}}, {"mobilenet", {14, 0.5503e9}}};
  ASSERT_EQ(networks.size(), published.size());
  for (const auto& [name, expected] : published) {
    EXPECT_EQ(networks[name].first, expected.first) << name;
    EXPECT_NEAR(networks[name].second / 2, expected.second, 1e-3 * expected.second) << name;
  }
}

TEST(Shapes, DeepBenchHasItsMinibatches) {
  std::ifstream in(find_shapes("deepbench"));
  int count = 0;
  std::set<std::int64_t> images;
  for (const auto& p : read_shapes(in, "deepbench", ConvProblem{}, kKinds)) {
    count += p.count;
    images.insert(p.N);
  }
  EXPECT_EQ(count, 94);
  EXPECT_THAT(images, testing::ElementsAre(4, 8, 16, 32));
}

TEST(Shapes, BrgemmSetsAreReadable) {
  std::ifstream quick(find_shapes("brgemm")), full(find_shapes("brgemm-full"));
  EXPECT_EQ(read_shapes(quick, "brgemm", BrgemmProblem{}, kKinds).size(), 102U);
  EXPECT_EQ(read_shapes(full, "brgemm-full", BrgemmProblem{}, kKinds).size(), 256U);
}

TEST(Shapes, SetsAreListedWithTheirKind) {
  const auto sets = shape_sets(kKinds);
  const auto resnet50 = std::ranges::find(sets, "resnet50", &ShapeSet::name);
  ASSERT_NE(resnet50, sets.end());
  EXPECT_EQ(resnet50->kind, "conv");
  EXPECT_EQ(resnet50->layers.size(), 20U);
}

TEST(Shapes, AnInstalledTreeHasItsOwnSetsAndWithoutAnySetsTheReasonIsASentence) {
  const auto top = std::filesystem::path(testing::TempDir()) / "shapes_of_an_installed_tree";
  const auto program = top / "tree" / "bin" / "brickwork";
  const auto installed = top / "tree" / "share" / "brickwork" / "experiments" / "shapes";
  const auto sources = top / "sources" / "experiments" / "shapes";
  std::filesystem::remove_all(top);
  EXPECT_THAT(
      [&] { shapes_folder(program, top / "sources"); },
      ThrowsMessage<std::runtime_error>(HasSubstr("the shape sets are missing: neither " + installed.string())));
  std::filesystem::create_directories(sources);
  EXPECT_EQ(shapes_folder(program, top / "sources"), sources);
  std::filesystem::create_directories(installed);
  EXPECT_EQ(shapes_folder(program, top / "sources"), installed);
}

TEST(Shapes, UnknownSetsAndFilesAreRefused) {
  EXPECT_THAT([] { find_shapes("resnet5"); }, ThrowsMessage<std::invalid_argument>(
                                                  HasSubstr("unknown shape set 'resnet5'; the closest is 'resnet50'")));
  EXPECT_THAT([] { find_shapes("no/such.csv"); },
              ThrowsMessage<std::invalid_argument>("there is no shape file 'no/such.csv'"));
}

}  // namespace
}  // namespace brickwork
