// The cells of recurrent layers.
#pragma once

namespace brickwork {

// The formulas of one step. W: the layer's weights for x; U: the recurrence's weights for h, the state before the step;
// b: biases.
//
//   lstm      i, f, o = sigmoid(W x + U h + b), g = tanh(W_g x + U_g h + b_g);  c' = f c + i g;  h' = o tanh(c')
//   gru       u, r = sigmoid(W x + U h + b),  o = tanh(W_o x + U_o (r h) + b_o);        h' = u h + (1 - u) o
//   lbr_gru   as gru, with            o = tanh(W_o x + r (U_o h + b_m) + b_o)   (linear before reset)
//   rnn_tanh, rnn_relu                        h' = tanh or max(0, .) of W x + U h + b
//
// Sources: Hochreiter and Schmidhuber 1997 and Gers et al. 2000 (LSTM); Cho et al., arXiv 1406.1078 (GRU). cuDNN and
// PyTorch call lbr_gru GRU. There are no peepholes and no projections.
enum class RnnCell { lstm, gru, lbr_gru, rnn_tanh, rnn_relu };

}  // namespace brickwork
