// The bodies of size_table.hpp.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "size_table.hpp"

namespace brickwork {
namespace size_table {

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw std::invalid_argument(fmt::format(format, std::forward<Args>(args)...));
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators);

// "bk" of the key "bk=": what messages call a size.
inline std::string_view name_of(std::string_view key) { return key.substr(0, key.find('=')); }

// The number behind `key` in `word`. Throws std::invalid_argument where there is none.
std::int64_t number_of(std::string_view word, std::string_view key);

template <class T>
bool must_be_given(const Size<T>& size) {
  return size.like == nullptr && T{}.*size.member < size.least;
}

template <class T>
const T& default_of() {
  static const T value{};
  return value;
}

// Reads the words one after the other.
template <class T>
class Reader {
 public:
  Reader(std::string_view text, const T& defaults) : text_(text), value_(defaults) {}

  void read(std::string_view word) {
    const std::string_view key = word.substr(0, word.find_first_of("+-0123456789."));
    const auto size = std::ranges::find(table_.sizes, key, &Size<T>::key);
    if (size != table_.sizes.end()) return read_size(word, *size);
    for (const Word<T>& kind : table_.words) {
      if (kind.set(value_, word)) return note_given(kind.column, word);
    }
    std::vector<std::string_view> keys, expected;
    for (const auto& s : table_.sizes) keys.push_back(s.key);
    for (const auto& w : table_.words) expected.push_back(w.expected);
    refuse("'{}' is no size{}: expected one of the keys {} followed by a number, as in {}64{}{}", word,
           expected.empty() ? "" : " and no other word", fmt::join(keys, " "), keys.front(),
           expected.empty() ? "" : ", or ", fmt::join(expected, ", or "));
  }

  T finish() {
    for (const Size<T>& size : table_.sizes) {
      if (given(size.column)) continue;
      if (size.like != nullptr) {
        value_.*size.member = value_.*size.like;
      } else if (must_be_given(size)) {
        refuse("'{}' lacks {}: add a word such as {}64", text_, name_of(size.key), size.key);
      }
    }
    return value_;
  }

 private:
  void read_size(std::string_view word, const Size<T>& size) {
    value_.*size.member = number_of(word, size.key);
    note_given(size.column, word);
  }
  bool given(std::string_view column) const {
    return std::ranges::find(given_, column, [](const auto& pair) { return pair.first; }) != given_.end();
  }
  void note_given(std::string_view column, std::string_view word) {
    for (const auto& [known, first] : given_) {
      if (known == column) refuse("'{}' gives {} a second time after '{}': give it once", word, column, first);
    }
    given_.emplace_back(column, word);
  }

  const SizeTable<T>& table_ = T::table();
  std::string_view text_;
  T value_;
  std::vector<std::pair<std::string_view, std::string_view>> given_;  // column, word
};

}  // namespace size_table

template <HasSizes T>
std::string to_string(const T& t) {
  const SizeTable<T>& table = T::table();
  std::string text;
  const auto add = [&](const std::string& word) {
    if (!text.empty()) text += table.separator;
    text += word;
  };
  for (const auto& size : table.sizes) add(fmt::format("{}{}", size.key, t.*size.member));
  for (const auto& word : table.words) {
    const std::string value = word.get(t);
    if (table.default_words || value != word.get(size_table::default_of<T>())) add(value);
  }
  return text;
}

template <HasSizes T>
T parse_words(std::string_view text, const T& defaults) {
  size_table::Reader<T> reader(text, defaults);
  for (const std::string_view word : size_table::split(text, " ,_")) reader.read(word);
  return reader.finish();
}

template <HasSizes T>
void set_word(T& t, std::string_view column, std::string_view text) {
  const auto& words = T::table().words;
  const auto word = std::ranges::find(words, column, &Word<T>::column);
  if (word == words.end()) throw std::logic_error(fmt::format("a {} has no {}", T::table().kind, column));
  if (!word->set(t, text)) size_table::refuse("'{}' is no {}: expected {}", text, column, word->expected);
}

template <HasSizes T>
std::vector<std::pair<std::string, std::string>> size_columns(const T& t) {
  std::vector<std::pair<std::string, std::string>> columns;
  for (const auto& size : T::table().sizes) columns.emplace_back(size.column, std::to_string(t.*size.member));
  for (const auto& word : T::table().words) columns.emplace_back(word.column, word.get(t));
  return columns;
}

template <HasSizes T>
std::vector<std::string> setting_parts(const T& t) {
  std::vector<std::string> parts;
  for (const auto& size : T::table().sizes) {
    if (size.setting) parts.push_back(fmt::format("{}={}", size.column, t.*size.member));
  }
  for (const auto& word : T::table().words) {
    if (const auto value = word.get(t); value != word.get(size_table::default_of<T>())) parts.push_back(value);
  }
  return parts;
}

template <HasSizes T>
void check_sizes(const T& t, std::int64_t most, std::string_view most_text) {
  for (const auto& size : T::table().sizes) {
    const std::int64_t value = t.*size.member;
    if (value < size.least || value > most) {
      size_table::refuse("{} is {}: it must be from {} to {}", size_table::name_of(size.key), value, size.least,
                         most_text);
    }
  }
}

template <HasSizes T>
bool same_sizes(const T& a, const T& b) {
  return std::ranges::all_of(T::table().sizes, [&](const auto& size) { return a.*size.member == b.*size.member; }) &&
         std::ranges::all_of(T::table().words, [&](const auto& word) { return word.get(a) == word.get(b); });
}

}  // namespace brickwork
