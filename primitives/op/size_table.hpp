// One table of sizes per problem. The parser, the text form, the columns of shape files and samples.csv, equality and
// range checks of every problem follow from it. A plan's text form comes from a table, too.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace brickwork {

// A whole number of T. If a text does not give it, its value is that of `like`, or the default's. A text must give it
// if there is no `like` and T's own initializer is below `least`.
template <class T>
struct Size {
  std::string_view key;     // in the text form: "sh" of "sh2"
  std::string_view column;  // in files: "stride_h"
  std::int64_t T::*member;
  std::int64_t least = 1;
  std::int64_t T::*like = nullptr;
  bool setting = false;  // problems of one run share it (a minibatch)
};

// A property that a text gives as a word, not as a number.
template <class T>
struct Word {
  std::string_view column;
  std::string_view expected;  // "an epilogue: none, or ..."
  std::function<std::string(const T&)> get;
  std::function<bool(T&, std::string_view)> set;  // false if the word is not one of its values
};

// A Word for a bool or an enum; `words` are in the order of its numbers from 0. The default column name is the first
// word.
template <class T, class Value>
Word<T> choice(std::string_view expected, std::vector<std::string_view> words, Value T::*member,
               std::string_view column = {}) {
  return {column.empty() ? words.front() : column, expected,
          [=](const T& t) { return std::string(words[static_cast<std::size_t>(t.*member)]); },
          [=](T& t, std::string_view word) {
            const auto found = std::ranges::find(words, word);
            if (found == words.end()) return false;
            t.*member = static_cast<Value>(found - words.begin());
            return true;
          }};
}

template <class T>
struct SizeTable {
  std::string_view kind;  // "conv": what messages call it
  std::vector<Size<T>> sizes;
  std::vector<Word<T>> words;
  char separator = '_';        // of words in the text form
  bool default_words = false;  // whether the text form writes words of default value
};

// T has: static const SizeTable<T>& table().
template <class T>
concept HasSizes = requires {
  T::table();
};

namespace size_table {

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw std::invalid_argument(fmt::format(format, std::forward<Args>(args)...));
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators);

// "bk" of the key "bk=": the name of a size in messages.
inline std::string_view name_of(std::string_view key) { return key.substr(0, key.find('=')); }

// The number behind `key` in `word`. Throws std::invalid_argument if there is none.
std::int64_t number_of(std::string_view word, std::string_view key);

template <class T>
bool must_be_given(const Size<T>& size) {
  return size.like == nullptr && T{}.*size.member < size.least;
}

template <class T>
bool has_default(const Word<T>& word, const T& t) {
  static const T value{};
  return word.get(t) == word.get(value);
}

// Sets the size or word that `word` gives, and returns its column.
template <class T>
std::string_view read_word(T& value, std::string_view word) {
  const SizeTable<T>& table = T::table();
  const std::string_view key = word.substr(0, word.find_first_of("+-0123456789."));
  const auto size = std::ranges::find(table.sizes, key, &Size<T>::key);
  if (size != table.sizes.end()) {
    value.*size->member = number_of(word, size->key);
    return size->column;
  }
  for (const Word<T>& kind : table.words) {
    if (kind.set(value, word)) return kind.column;
  }
  std::vector<std::string_view> keys, expected;
  for (const auto& s : table.sizes) keys.push_back(s.key);
  for (const auto& w : table.words) expected.push_back(w.expected);
  refuse("'{}' is no size{}: expected one of the keys {} followed by a number, as in {}64{}{}", word,
         expected.empty() ? "" : " and no other word", fmt::join(keys, " "), keys.front(),
         expected.empty() ? "" : ", or ", fmt::join(expected, ", or "));
}

}  // namespace size_table

// The text form: "N28_C64_K256_H56_..." and words.
template <HasSizes T>
std::string to_string(const T& t) {
  const SizeTable<T>& table = T::table();
  std::vector<std::string> words;
  for (const auto& size : table.sizes) words.push_back(fmt::format("{}{}", size.key, t.*size.member));
  for (const auto& word : table.words) {
    if (table.default_words || !size_table::has_default(word, t)) words.push_back(word.get(t));
  }
  return fmt::format("{}", fmt::join(words, std::string_view(&table.separator, 1)));
}

// Reads words in any order, separated by spaces, commas or underscores, which includes every form that to_string
// writes. What the text does not give comes from `defaults`. Throws std::invalid_argument with one sentence that names
// the wrong word. Does not check ranges: see check_sizes().
template <HasSizes T>
T parse_words(std::string_view text, const T& defaults = {}) {
  using size_table::refuse;
  T value = defaults;
  std::map<std::string_view, std::string_view> given;  // column, word
  for (const std::string_view word : size_table::split(text, " ,_")) {
    const std::string_view column = size_table::read_word(value, word);
    const auto [first, once] = given.emplace(column, word);
    if (!once) refuse("'{}' gives {} a second time after '{}': give it once", word, column, first->second);
  }
  for (const Size<T>& size : T::table().sizes) {
    if (given.contains(size.column)) continue;
    if (size.like != nullptr) {
      value.*size.member = value.*size.like;
    } else if (size_table::must_be_given(size)) {
      refuse("'{}' lacks {}: add a word such as {}64", text, size_table::name_of(size.key), size.key);
    }
  }
  return value;
}

// parse_words, then validate().
template <HasSizes T>
T parse_problem(std::string_view text, const T& defaults = {}) {
  const T problem = parse_words(text, defaults);
  problem.validate();
  return problem;
}

// Throws std::invalid_argument if the column does not take this word.
template <HasSizes T>
void set_word(T& t, std::string_view column, std::string_view text) {
  const auto& words = T::table().words;
  const auto word = std::ranges::find(words, column, &Word<T>::column);
  if (word == words.end()) throw std::logic_error(fmt::format("a {} has no {}", T::table().kind, column));
  if (!word->set(t, text)) size_table::refuse("'{}' is no {}: expected {}", text, column, word->expected);
}

// (column, value) of every size and word, in the table's order.
template <HasSizes T>
std::vector<std::pair<std::string, std::string>> size_columns(const T& t) {
  std::vector<std::pair<std::string, std::string>> columns;
  for (const auto& size : T::table().sizes) columns.emplace_back(size.column, std::to_string(t.*size.member));
  for (const auto& word : T::table().words) columns.emplace_back(word.column, word.get(t));
  return columns;
}

// The settings that problems of a run share: "N=28", and the words that are not default.
template <HasSizes T>
std::vector<std::string> setting_parts(const T& t) {
  std::vector<std::string> parts;
  for (const auto& size : T::table().sizes) {
    if (size.setting) parts.push_back(fmt::format("{}={}", size.column, t.*size.member));
  }
  for (const auto& word : T::table().words) {
    if (!size_table::has_default(word, t)) parts.push_back(word.get(t));
  }
  return parts;
}

// Throws std::invalid_argument if a size is not from `least` to `most`, or a problem's count is below 1.
template <HasSizes T>
void check_sizes(const T& t, std::int64_t most, std::string_view most_text) {
  for (const auto& size : T::table().sizes) {
    const std::int64_t value = t.*size.member;
    if (value >= size.least && value <= most) continue;
    size_table::refuse("{} is {}: it must be from {} to {}", size_table::name_of(size.key), value, size.least,
                       most_text);
  }
  if constexpr (requires { t.count; }) {
    if (t.count < 1) size_table::refuse("count is {}: it must be at least 1", t.count);
  }
}

template <HasSizes T>
bool same_sizes(const T& a, const T& b) {
  return std::ranges::all_of(T::table().sizes, [&](const auto& size) { return a.*size.member == b.*size.member; }) &&
         std::ranges::all_of(T::table().words, [&](const auto& word) { return word.get(a) == word.get(b); });
}

// Problems are equal if their sizes and words are; name and count do not matter.
template <HasSizes T>
requires requires(const T& t) { t.count; }
bool operator==(const T& a, const T& b) { return same_sizes(a, b); }

inline constexpr std::int64_t kMaxTensorElements = std::int64_t{1} << 40;

// Throws std::invalid_argument if a tensor of these dims, each from 1 to 2^40, has more than 2^40 elements.
void check_elements(std::string_view tensor, std::initializer_list<std::int64_t> dims);

}  // namespace brickwork
