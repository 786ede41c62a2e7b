#include <algorithm>
#include <utility>

#include "primitives/op/size_table.hpp"
#include "primitives/recursive/structures/tree_lines.hpp"

namespace brickwork {
namespace {

class BracketReader {
 public:
  explicit BracketReader(std::string_view line) : line_(line) {}

  TreeNodes tree() {
    while ((at_ = line_.find_first_not_of(kBlanks, at_)) != line_.npos) {
      if (open_.empty() && !nodes_.empty()) {
        size_table::refuse("the tree ends before character {}: a line has one tree", at_ + 1);
      }
      if (line_[at_] == '(') {
        open();
      } else if (line_[at_] == ')') {
        close();
      } else {
        take_word();
      }
    }
    if (!open_.empty()) size_table::refuse("the bracket at character {} is not closed", open_.front().begin + 1);
    return std::move(nodes_);
  }

 private:
  struct Bracket {
    std::size_t begin;
    bool has_label = false, has_word = false;
    std::vector<std::int32_t> children;
  };

  void open() {
    if (!open_.empty()) {
      if (open_.back().has_word) refuse_mixture();
      open_.back().has_label = true;  // an empty one, as sentences of the Penn Treebank have, if there is no other
    }
    open_.push_back({.begin = at_++});
  }

  void take_word() {
    const std::size_t begin = std::exchange(at_, std::min(line_.find_first_of("() \t\r", at_), line_.size()));
    Bracket& bracket = open_.back();
    if (!bracket.has_label) {
      bracket.has_label = true;
      return;
    }
    if (!bracket.children.empty()) refuse_mixture();
    if (std::exchange(bracket.has_word, true)) {
      size_table::refuse("the bracket at character {} has a second word, '{}'", bracket.begin + 1,
                         line_.substr(begin, at_ - begin));
    }
  }

  void close() {
    Bracket& bracket = open_.back();
    if (!bracket.has_word && bracket.children.empty()) {
      size_table::refuse("the bracket at character {} has neither children nor a word after its label",
                         bracket.begin + 1);
    }
    const auto node = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back(std::move(bracket.children));
    open_.pop_back();
    if (!open_.empty()) open_.back().children.push_back(node);
    ++at_;
  }

  [[noreturn]] void refuse_mixture() const {
    size_table::refuse("the bracket at character {} has both a word and children", open_.back().begin + 1);
  }

  const std::string_view line_;
  std::size_t at_ = 0;
  std::vector<Bracket> open_;  // the outermost first
  TreeNodes nodes_;
};

}  // namespace

TreeNodes tree_of_brackets(std::string_view line) { return BracketReader(line).tree(); }

}  // namespace brickwork
