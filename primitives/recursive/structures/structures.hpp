// Structures made by rule or at random. The same arguments always give the same structures.
#pragma once
#include <cstdint>

#include "primitives/recursive/structures/forest.hpp"

namespace brickwork {

// Each function gives `count` structures. Throws std::invalid_argument with one sentence if an argument is below 1 or
// there could be more than 2^30 nodes.

// Random binary parse trees with the statistics of the Stanford Sentiment Treebank: number of leaves, and heights by
// number of leaves. Tree i does not depend on `count`.
Forest treebank_trees(std::int64_t count);

// Perfect binary trees of this height: 2^height leaves. The children of node i are 2 i + 1 and 2 i + 2.
Forest perfect_trees(std::int64_t count, std::int64_t height);

// Grids of side x side nodes. Node (i, j), number i * side + j, has the children (i - 1, j) and (i, j - 1) as far as
// they exist.
Forest grids(std::int64_t count, std::int64_t side);

// Sequences of `length` nodes. Node i, step i, has the child i - 1.
Forest sequences(std::int64_t count, std::int64_t length);

}  // namespace brickwork
