// The text form of a problem is words such as "C64": a key and a whole number, in any order.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace brickwork {

inline std::vector<std::string_view> split_words(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  while (true) {
    const auto begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return words;
    const auto end = std::min(text.find_first_of(separators, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

// The sizes that a text gives, by key.
class SizeWords {
 public:
  explicit SizeWords(std::span<const std::string_view> keys) : keys_(keys) {}

  // Throws std::invalid_argument where the word is no known key with a number, or its key was there before.
  void add(std::string_view word) {
    const std::string_view key = word.substr(0, word.find_first_of("+-0123456789."));
    if (std::ranges::find(keys_, key) == keys_.end()) {
      throw std::invalid_argument(
          fmt::format("'{}' is no size: expected one of the keys {} followed by a number, as in {}64", word,
                      fmt::join(keys_, " "), keys_.front()));
    }
    const std::string_view number = word.substr(key.size());
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc::result_out_of_range) {
      throw std::invalid_argument(fmt::format("the number in '{}' is too large: it must be below 2^63", word));
    }
    if (error != std::errc{} || end != number.data() + number.size()) {
      throw std::invalid_argument(
          fmt::format("'{}' has no whole number after {}: expected a word such as {}64", word, key, key));
    }
    if (!values_.emplace(key, value).second) {
      throw std::invalid_argument(fmt::format("'{}' gives {} a second time: give every size once", word, key));
    }
  }

  std::int64_t get_or(std::string_view key, std::int64_t otherwise) const {
    const auto it = values_.find(key);
    return it == values_.end() ? otherwise : it->second;
  }

  // Throws std::invalid_argument where the text lacks it.
  std::int64_t get(std::string_view key, std::string_view text) const {
    const auto it = values_.find(key);
    if (it == values_.end()) {
      throw std::invalid_argument(fmt::format("'{}' lacks {}: add a word such as {}64", text, key, key));
    }
    return it->second;
  }

 private:
  std::span<const std::string_view> keys_;
  std::map<std::string_view, std::int64_t> values_;  // keys point into the added words
};

}  // namespace brickwork
