// Reads structures from files of a user's own.
#pragma once
#include <string>

#include "primitives/recursive/structures/forest.hpp"

namespace brickwork {

// Trees, one a line, in either of two forms; all lines of a file have the same form. Empty lines are left out.
//
//   parent pointers   "2 2 4 4 -1": the parent of each node, counted from 0; -1 marks the root. Children are in the
//                     order of their numbers
//   brackets          "(3 (2 fine) (2 work))", as in the Penn Treebank and the Stanford Sentiment Treebank: a label,
//                     then children or one word. A node is numbered after its children, left to right; labels and words
//                     are left out. A node with one child and no word is kept
//
// Throws std::invalid_argument with one sentence "FILE, line L: ..." if a line is malformed: unbalanced brackets, a
// word beside children, a parent that is no number or out of range, no root or several, a cycle, or a form other than
// the first line's; std::runtime_error if the file cannot be read or has no tree.
Forest read_trees(const std::string& path);

// The same from text; `name` stands for the file in messages.
Forest parse_trees(const std::string& text, const std::string& name);

}  // namespace brickwork
