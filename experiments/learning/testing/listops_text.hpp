// Expressions of ListOps as text, for tests: "[MAX 2 9 [MIN 4 7 ] 0 ]".
#pragma once
#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

#include "experiments/learning/listops.hpp"

namespace brickwork {

inline constexpr std::string_view kListOpsWords[] = {"[MAX", "[MIN", "[MED", "[SM", "]"};

inline std::string listops_text(const ListOpsExpression& expression) {
  std::string text;
  for (const std::int32_t token : expression) {
    if (!text.empty()) text += ' ';
    text += token < kMaximum ? std::to_string(token) : std::string(kListOpsWords[token - kMaximum]);
  }
  return text;
}

inline ListOpsExpression listops_of(const std::string& text) {
  ListOpsExpression expression;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto at = std::ranges::find(kListOpsWords, word) - std::begin(kListOpsWords);
    const bool digit = at == std::ssize(kListOpsWords);
    expression.push_back(digit ? std::stoi(word) : kMaximum + static_cast<std::int32_t>(at));
  }
  return expression;
}

// The number of operations within each other.
inline int listops_depth(const ListOpsExpression& expression) {
  int open = 0, most = 0;
  for (const std::int32_t token : expression) {
    if (token == kClosing) {
      --open;
    } else if (token >= kMaximum) {
      most = std::max(most, ++open);
    }
  }
  return most;
}

}  // namespace brickwork
