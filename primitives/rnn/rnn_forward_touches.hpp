// What the forward pass of a recurrent layer in one direction touches on the host, as data. It runs in a region of its
// own (rnn_forward_body.hpp), not in a nest, but its loops are these:
//
//   step   steps in the order of computation; a reduction, as each step needs the one before
//   half   the second half of a GRU's step multiplies the state that the first half has reset; other cells have one
//   kb     blocks of bk features of the state
//   nb     blocks of bn sequences
//
// One call is a thread's task of a half: the products with x and with the state, and the cell's new state from the
// gates.
//
//   h[step + 1][n][k] = cell(bias[k][gate] + sum over c of x[step][n][c] * weights_x[k][gate][c]
//                                          + sum over j of h[step][n][j] * weights_state[k][gate][j])
//
// with the state before the first step in h[0]; steps count from the last one if the layer is reversed. Features count
// to the end of their last block. `tile` has a task's gates, [sequence of a block][gate][feature of a block], one for
// each thread. A short last block uses fewer sequences of it: no affine index says so. In training `gates` keeps all
// gates. A GRU has `gates` in place of `tile`, and the reset state `reset`.
#pragma once
#include "kernels/base/result.hpp"
#include "primitives/nest/touches.hpp"
#include "primitives/rnn/rnn_geometry.hpp"

namespace brickwork {

// For sequences of equal lengths. Returns unsupported if products with x have calls of their own: with steps > 1, or on
// a device.
Result<NestTouches> rnn_forward_touches(const RnnForwardGeometry&);

}  // namespace brickwork
