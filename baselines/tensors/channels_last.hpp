// Copies plain tensors into the order and type of a library, and back.
#pragma once
#include <cstdint>

namespace brickwork {

// Plain [rows][channels][pixels]; the library's order may have channels innermost.
struct ChannelOrder {
  std::int64_t rows, channels, pixels;
  bool channels_last;

  std::int64_t plain(std::int64_t row, std::int64_t channel, std::int64_t pixel) const {
    return (row * channels + channel) * pixels + pixel;
  }
  std::int64_t ordered(std::int64_t row, std::int64_t channel, std::int64_t pixel) const {
    return channels_last ? (row * pixels + pixel) * channels + channel : plain(row, channel, pixel);
  }

  template <class T>
  void reorder(const float* from, T* to) const {
    for_each([&](std::int64_t p, std::int64_t o) { to[o] = static_cast<T>(from[p]); });
  }
  template <class T>
  void restore(const T* from, float* to) const {
    for_each([&](std::int64_t p, std::int64_t o) { to[p] = static_cast<float>(from[o]); });
  }

 private:
  template <class Element>
  void for_each(const Element& element) const {
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
          element(plain(row, channel, pixel), ordered(row, channel, pixel));
        }
      }
    }
  }
};

}  // namespace brickwork
