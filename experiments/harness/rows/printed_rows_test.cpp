#include "experiments/harness/rows/printed_rows.hpp"

#include <gtest/gtest.h>

namespace brickwork {
namespace {

// The output for two rows with a text, a number, and a size that may be a number or a word.
std::string printed(RowFormat format, bool with_rows = true) {
  testing::internal::CaptureStdout();
  {
    PrintedRows rows(format);
    rows.begin({{"name", false}, {"seconds", true}, {"size", true}});
    if (with_rows) {
      rows.append({"it said \"no\", twice", "1.25e-07", "28"});
      rows.flush();
      rows.append({"7", "", "relu"});
    }
  }
  return testing::internal::GetCapturedStdout();
}

TEST(PrintedRows, AreCsvOrOneJsonArray) {
  EXPECT_EQ(printed(RowFormat::as_csv),
            "name,seconds,size\n"
            "\"it said \"\"no\"\", twice\",1.25e-07,28\n"
            "7,,relu\n");
  EXPECT_EQ(printed(RowFormat::as_json),
            "[\n"
            "{\"name\":\"it said \\\"no\\\", twice\",\"seconds\":1.25e-07,\"size\":28},\n"
            "{\"name\":\"7\",\"seconds\":null,\"size\":\"relu\"}\n"
            "]\n");
}

TEST(PrintedRows, NoRowsAreAHeaderOrAnEmptyArray) {
  EXPECT_EQ(printed(RowFormat::as_csv, false), "name,seconds,size\n");
  EXPECT_EQ(printed(RowFormat::as_json, false), "[]\n");
}

}  // namespace
}  // namespace brickwork
