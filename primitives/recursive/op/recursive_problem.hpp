// The problem of a recursive model over a minibatch of structures.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "primitives/op/size_table.hpp"
#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/structures/forest.hpp"

namespace brickwork {

enum class RecursiveStructures {
  treebank,   // random parse trees with the treebank's statistics
  perfect,    // perfect binary trees of height S
  grids,      // grids of S x S nodes
  sequences,  // S nodes each
  file,       // the first N trees of a file (set_structure_file)
};

// As text "tree-lstm treebank H256 N10", "tree-fc perfect H256 N1 S7".
struct RecursiveProblem {
  static const SizeTable<RecursiveProblem>& table();

  std::string name;
  std::int64_t H = 0;  // features of a state
  std::int64_t N = 1;  // structures
  std::int64_t S = 0;  // size of a structure; 0: the usual one: height 7, 10 x 10 nodes, 100 steps
  RecursiveModel model = RecursiveModel::tree_lstm;
  RecursiveStructures structures = RecursiveStructures::treebank;
  int count = 1;

  const Cell& cell() const { return cell_of(model); }

  // The structures, of the cell's kind. The last ones made are kept. Throws as the functions of structures.hpp and
  // structure_files.hpp do, and std::invalid_argument with one sentence if no file is set or it has fewer than N trees.
  std::shared_ptr<const Forest> forest() const;

  // Throws std::invalid_argument with one sentence if a size is <= 0, the structures do not suit the cell (trees and
  // sequences suit a cell over DAGs, sequences one over trees; a tree's nodes must not have more children than the cell
  // takes), S is given for structures without a size, or a tensor has more than 2^40 elements. Throws as forest() does.
  void validate() const;
};

// The file of RecursiveStructures::file, for the whole program; before problems are made.
void set_structure_file(std::string path);

}  // namespace brickwork
