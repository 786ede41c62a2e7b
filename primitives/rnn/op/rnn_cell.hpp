// What a recurrent layer does at a step.
#pragma once

namespace brickwork {

// What is done at each step with x, W the layer's weights, U those of the recurrence, b the biases, h the state before:
//
//   lstm      i, f, o = sigmoid(W x + U h + b), g = tanh(W_g x + U_g h + b_g);  c' = f c + i g;  h' = o tanh(c')
//   gru       u, r = sigmoid(W x + U h + b),  o = tanh(W_o x + U_o (r h) + b_o);        h' = u h + (1 - u) o
//   lbr_gru   the same with                   o = tanh(W_o x + r (U_o h + b_m) + b_o)   (linear before reset)
//   rnn_tanh, rnn_relu                        h' = tanh or max(0, .) of W x + U h + b
//
// (Hochreiter and Schmidhuber 1997, Gers et al. 2000; Cho et al., arXiv 1406.1078.) lbr_gru is what cuDNN and PyTorch
// call GRU. There are neither peepholes nor projections.
enum class RnnCell { lstm, gru, lbr_gru, rnn_tanh, rnn_relu };

}  // namespace brickwork
