#include "primitives/op/size_table.hpp"

#include <charconv>

namespace brickwork {

void check_elements(std::string_view tensor, std::initializer_list<std::int64_t> dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) {
    if (dim > kMaxTensorElements / product) {
      size_table::refuse("{} has {} elements: at most 2^40 are allowed", tensor, fmt::join(dims, " * "));
    }
    product *= dim;
  }
}

namespace size_table {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  while (true) {
    const auto begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return words;
    const auto end = std::min(text.find_first_of(separators, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

std::int64_t number_of(std::string_view word, std::string_view key) {
  const std::string_view number = word.substr(key.size());
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc::result_out_of_range) refuse("the number in '{}' is too large: it must be below 2^63", word);
  if (error != std::errc{} || end != number.data() + number.size()) {
    refuse("'{}' has no whole number after {}: expected a word such as {}64", word, key, key);
  }
  return value;
}

}  // namespace size_table
}  // namespace brickwork
