#include "experiments/learning/data_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "experiments/harness/rows/csv_reader.hpp"

namespace brickwork {

DataSet read_data_set(std::istream& in, std::string_view file, const ImageFormat& format) {
  std::vector<std::string> pixels;
  for (std::int64_t i = 0; i < format.pixels(); ++i) pixels.push_back(fmt::format("pixel{}", i));
  const std::string needs = fmt::format("images of {} x {} x {} need the columns set, label and {} to {}", format.C,
                                        format.H, format.W, pixels.front(), pixels.back());
  CsvReader reader(in, file, needs);
  std::vector<std::string> columns{"set", "label"};
  columns.insert(columns.end(), pixels.begin(), pixels.end());
  for (const auto& column : columns) {
    if (!reader.has(column)) reader.refuse(fmt::format("column {} is missing: {}", column, needs));
  }
  for (const auto& column : reader.header()) {
    if (std::ranges::find(columns, column) == columns.end()) {
      reader.refuse(fmt::format("unknown column '{}': {}", column, needs));
    }
  }

  DataSet data{.train = {.format = format}, .test = {.format = format}};
  while (reader.next()) {
    const std::string& set = reader.text("set");
    if (set != "train" && set != "test") reader.refuse(fmt::format("column set: '{}' is neither train nor test", set));
    LabelledImages& images = set == "train" ? data.train : data.test;
    images.labels.push_back(static_cast<std::int32_t>(reader.number("label", 0, format.classes - 1)));
    for (const auto& column : pixels) {
      const auto value = static_cast<float>(reader.number(column, 0, format.white));
      images.pixels.push_back(value / static_cast<float>(format.white));
    }
  }
  if (data.train.labels.empty()) reader.refuse("there is no image to train on: add lines whose set is train");
  if (data.test.labels.empty()) reader.refuse("there is no image to test on: add lines whose set is test");
  return data;
}

}  // namespace brickwork
