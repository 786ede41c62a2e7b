// The models of the literature as cells.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "primitives/recursive/op/cell.hpp"

namespace brickwork {

enum class RecursiveModel {
  tree_fc,          // a fully connected layer over the states of both children (Cortex' first example)
  tree_rnn,         // tanh of a product with the sum of the children's states
  tree_lstm,        // child-sum: Tai et al., arXiv 1503.00075, equations 2 to 8
  nary_tree_lstm,   // with weights for each position, two of them: the same, equations 9 to 14
  tree_gru,         // child-sum
  simple_tree_gru,  // a TreeGRU whose state forgets those of its children
  mv_rnn,           // a vector and a matrix per node: Socher et al., EMNLP 2012
  dag_rnn,          // Shuai et al., arXiv 1506.07702
  lstm,             // over sequences, as RnnCell::lstm and RnnCell::gru
  gru,
};

struct ModelOf {
  RecursiveModel model;
  std::string_view name;  // as problems have it: "tree-lstm"
};
std::span<const ModelOf> recursive_models();  // in the order of the enum

const Cell& cell_of(RecursiveModel);

}  // namespace brickwork
