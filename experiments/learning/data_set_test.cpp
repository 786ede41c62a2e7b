#include "experiments/learning/data_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>

namespace brickwork {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::string kHeader = "set,label,pixel0,pixel1,pixel2,pixel3\n";

DataSet read(const std::string& text) {
  std::istringstream in(text);
  return read_data_set(in, "images.csv", {.C = 1, .H = 2, .W = 2, .classes = 3, .white = 4});
}

TEST(DataSet, ColumnsAreFoundByNameAndEachSetKeepsTheOrderOfLines) {
  const DataSet data =
      read("label,set,pixel1,pixel0,pixel2,pixel3\n2,train,1,0,2,4\n0,test,0,0,0,1\n1,train,4,4,4,4\n");
  EXPECT_THAT(data.train.labels, ElementsAre(2, 1));
  EXPECT_THAT(data.train.pixels, ElementsAre(0, 0.25F, 0.5F, 1, 1, 1, 1, 1));
  EXPECT_THAT(data.test.labels, ElementsAre(0));
  EXPECT_EQ(data.test.N(), 1);
  EXPECT_EQ(data.train.image(1) - data.train.image(0), 4);
}

TEST(DataSet, ErrorsNameFileLineColumnAndRemedy) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "images.csv: the file is empty: images of 1 x 2 x 2 need the columns set, label and pixel0 to pixel3"},
      {"label,pixel0,pixel1,pixel2,pixel3\n", "images.csv:1: column set is missing: images of 1 x 2 x 2 need"},
      {"set,label,pixel0,pixel1,pixel2\n", "images.csv:1: column pixel3 is missing"},
      {"set,label,pixel0,pixel1,pixel2,pixel3,pixel4\n", "images.csv:1: unknown column 'pixel4': images of 1 x 2 x 2"},
      {"set,label,label,pixel0\n", "images.csv:1: column label is there twice"},
      {kHeader + "train,1,0,0,0\n", "images.csv:2: 5 fields where the header has 6 columns"},
      {kHeader + "trian,1,0,0,0,0\n", "images.csv:2: column set: 'trian' is neither train nor test"},
      {kHeader + "train,3,0,0,0,0\n", "images.csv:2: column label: 3 is out of range: it must be from 0 to 2"},
      {kHeader + "train,-1,0,0,0,0\n", "images.csv:2: column label: -1 is out of range"},
      {kHeader + "train,1,0,0,0,0\ntest,1,0,5,0,0\n",
       "images.csv:3: column pixel1: 5 is out of range: it must be from 0"},
      {kHeader + "train,1,0,0.5,0,0\n", "images.csv:2: column pixel1: '0.5' is no whole number"},
      {kHeader + "train,1,0,,0,0\n", "images.csv:2: column pixel1: '' is no whole number"},
      {kHeader + "train,1,0,0,0,0\n", "there is no image to test on: add lines whose set is test"},
      {kHeader + "test,1,0,0,0,0\n", "there is no image to train on: add lines whose set is train"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<std::invalid_argument>(HasSubstr(message))) << text;
  }
}

}  // namespace
}  // namespace brickwork
