// Recurrent layers as descriptions of oneDNN's primitives, to be run alone or in a chain.
#pragma once
#include <oneapi/dnnl/dnnl.hpp>

#include "baselines/onednn/onednn_primitive.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork::onednn {

inline dnnl::algorithm cell_of(RnnCell cell) {
  switch (cell) {
    case RnnCell::lstm:
      return dnnl::algorithm::vanilla_lstm;
    case RnnCell::gru:
      return dnnl::algorithm::vanilla_gru;
    case RnnCell::lbr_gru:
      return dnnl::algorithm::lbr_gru;
    case RnnCell::rnn_tanh:
    case RnnCell::rnn_relu:
      return dnnl::algorithm::vanilla_rnn;
  }
  throw std::logic_error("there is no such cell");
}

inline dnnl::algorithm activation_of(RnnCell cell) {
  return cell == RnnCell::rnn_tanh   ? dnnl::algorithm::eltwise_tanh
         : cell == RnnCell::rnn_relu ? dnnl::algorithm::eltwise_relu
                                     : dnnl::algorithm::undef;
}

inline dnnl::rnn_direction direction_of(RnnDirection direction) {
  switch (direction) {
    case RnnDirection::forward:
      return dnnl::rnn_direction::unidirectional_left2right;
    case RnnDirection::reverse:
      return dnnl::rnn_direction::unidirectional_right2left;
    case RnnDirection::bidirectional:
      return dnnl::rnn_direction::bidirectional_concat;
  }
  throw std::logic_error("there is no such direction");
}

// The primitive's tensors; c is empty for cells without one.
struct RnnTensors {
  using memory = dnnl::memory;

  explicit RnnTensors(const RnnProblem& p)
      : x(plain({p.T, p.N, p.C})),
        y(plain({p.T, p.N, p.D() * p.K})),
        h(plain({p.L, p.D(), p.N, p.K})),
        c(p.has_c() ? h : memory::desc()),
        weights_layer(any_layout({p.L, p.D(), p.C, p.gates(), p.K})),
        weights_iter(any_layout({p.L, p.D(), p.K, p.gates(), p.K})),
        bias(plain({p.L, p.D(), p.biases(), p.K})) {}

  memory::desc x, y, h, c, weights_layer, weights_iter, bias;
};

// The common base of dnnl.hpp's structs for each cell, because it alone takes flags. Empty if the library has no such
// primitive.
class RnnDescription : public dnnl::rnn_primitive_desc_base {
  static constexpr bool kAllowEmpty = true;

 public:
  RnnDescription(const Context& context, const RnnProblem& p, dnnl::prop_kind kind, const RnnTensors& t)
      : rnn_primitive_desc_base(context.engine, cell_of(p.cell), kind, activation_of(p.cell), direction_of(p.direction),
                                t.x, t.h, &t.c, nullptr, t.weights_layer, t.weights_iter, nullptr, nullptr, t.bias, t.y,
                                t.h, &t.c, dnnl::rnn_flags::undef, 0, 0, user_scratchpad(), kAllowEmpty) {}

  RnnDescription() = default;  // no primitive

  // Backward. The flag makes it overwrite the weights' gradients; by default it adds to them.
  RnnDescription(const Context& context, const RnnProblem& p, const RnnTensors& t, const RnnDescription& forward)
      : rnn_primitive_desc_base(
            context.engine, cell_of(p.cell), dnnl::prop_kind::backward, activation_of(p.cell),
            direction_of(p.direction), t.x, t.h, &t.c, nullptr, t.weights_layer, t.weights_iter, nullptr, nullptr,
            t.bias, t.y, t.h, &t.c, t.x, t.h, &t.c, nullptr, t.weights_layer, t.weights_iter, nullptr, nullptr, t.bias,
            t.y, t.h, &t.c, dnnl::rnn_flags::diff_weights_overwrite, 0, 0, forward, user_scratchpad(), kAllowEmpty) {}

  dnnl::memory::desc argument(int argument) const { return query_md(dnnl::query::exec_arg_md, argument); }
};

}  // namespace brickwork::onednn
