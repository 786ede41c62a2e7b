// Labelled images: a set to train a network on and a set to test it on, read from a CSV file.
#pragma once
#include <cstdint>
#include <istream>
#include <string_view>
#include <vector>

namespace brickwork {

struct ImageFormat {
  std::int64_t C = 1, H = 0, W = 0;
  std::int32_t classes = 0;
  std::int64_t white = 1;  // largest value of a pixel in the file; the smallest is 0

  std::int64_t pixels() const { return C * H * W; }
};

struct LabelledImages {
  ImageFormat format;
  std::vector<float> pixels;  // [N][C][H][W], from 0 to 1
  std::vector<std::int32_t> labels;

  std::int64_t N() const { return static_cast<std::int64_t>(labels.size()); }
  const float* image(std::int64_t n) const { return pixels.data() + n * format.pixels(); }
};

struct DataSet {
  LabelledImages train, test;
};

// Reads a CSV file with one image per line. Its columns are set (train or test), label, and pixel0, pixel1, ... in the
// order [C][H][W]. Throws std::invalid_argument with one sentence: file, line, column, what is wrong and what would be
// right.
DataSet read_data_set(std::istream&, std::string_view file, const ImageFormat&);

}  // namespace brickwork
