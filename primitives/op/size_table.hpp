// One table of sizes per problem: from it come the parser and the text form, the columns of shape files and of
// samples.csv, the equality and the range checks of every problem. A plan's text form comes from a table likewise.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace brickwork {

// A whole number of T. Where it is not given it is `like` another one, or else the default value's; it must be given
// where there is no `like` and T's own initializer is below the least.
template <class T>
struct Size {
  std::string_view key;     // in the text form: "sh" of "sh2"
  std::string_view column;  // in files: "stride_h"
  std::int64_t T::*member;
  std::int64_t least = 1;
  std::int64_t T::*like = nullptr;
  bool setting = false;  // common to the problems of a run rather than to tell them apart: a minibatch
};

// What is said in a word instead of a number.
template <class T>
struct Word {
  std::string_view column;
  std::string_view expected;  // "an epilogue: none, or ..."
  std::function<std::string(const T&)> get;
  std::function<bool(T&, std::string_view)> set;  // false where the word is none of these
};

// A Word of the few values of a bool or an enum, in the order of their numbers from 0.
template <class T, class Value>
Word<T> choice(std::string_view expected, std::vector<std::string_view> words, Value T::*member) {
  return {words.front(), expected, [=](const T& t) { return std::string(words[static_cast<std::size_t>(t.*member)]); },
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
  char separator = '_';        // between the words of the text form
  bool default_words = false;  // whether the text form says a Word that has its default value
};

// T has: static const SizeTable<T>& table().
template <class T>
concept HasSizes = requires {
  T::table();
};

// "N28_C64_K256_H56_...", and its words.
template <HasSizes T>
std::string to_string(const T&);

// Reads words in any order, separated by spaces, commas or underscores: every form that to_string writes, too. What the
// text does not give is the default's. Throws std::invalid_argument with one sentence naming the offending word.
// Ranges are not looked at: see check_sizes().
template <HasSizes T>
T parse_words(std::string_view text, const T& defaults = {});

// parse_words, validated.
template <HasSizes T>
T parse_problem(std::string_view text, const T& defaults = {}) {
  const T problem = parse_words(text, defaults);
  problem.validate();
  return problem;
}

// Throws std::invalid_argument where the column's word cannot be this.
template <HasSizes T>
void set_word(T&, std::string_view column, std::string_view text);

// (column, value) of every size and word, in the table's order.
template <HasSizes T>
std::vector<std::pair<std::string, std::string>> size_columns(const T&);

// What a run has in common: "N=28", and words but for those of default value.
template <HasSizes T>
std::vector<std::string> setting_parts(const T&);

// Throws std::invalid_argument where a size is not from its least to `most`.
template <HasSizes T>
void check_sizes(const T&, std::int64_t most, std::string_view most_text);

template <HasSizes T>
bool same_sizes(const T&, const T&);

inline constexpr std::int64_t kMaxTensorElements = std::int64_t{1} << 40;

// Throws std::invalid_argument where a tensor of these dims, each from 1 to 2^40, has more than 2^40 elements.
void check_elements(std::string_view tensor, std::initializer_list<std::int64_t> dims);

}  // namespace brickwork

#include "size_table_impl.hpp"
