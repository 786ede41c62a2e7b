// The recurrent stack of GNMT (gnmt_problem.hpp), inference and training: recurrent layers, attention and residual
// additions.
//
// All states are in blocks of features over all steps, from the words to y and back. A layer writes its states into the
// tensor that the next one reads, where the context is another part beside them. If a residual is added, this tensor
// holds the sum.
#pragma once
#include <array>
#include <vector>

#include "primitives/attention/blocked_attention.hpp"
#include "primitives/elementwise/elementwise_plan.hpp"
#include "primitives/gnmt/op/gnmt_problem.hpp"
#include "primitives/rnn/rnn_directed_layer.hpp"

namespace brickwork {

class GnmtStack {
 public:
  // For a step of training or for inference, as the problem says. Refused if the backend has no brick for it.
  static Result<GnmtStack> make(const GnmtProblem&, const MachineModel&, Backend, Isa = Isa::best,
                                const SimdTuning& = {});

  // Plain tensors are those of gnmt_op.hpp; layers are numbered as in gnmt_layers().
  void set_words(const float* source, const float* target);
  // [N], or null if all are S; throws std::invalid_argument if one is not from 1 to S.
  void set_lengths(const std::int32_t* lengths);
  void set_weights(std::size_t layer, const float* weights_layer, const float* weights_iter, const float* bias);

  void run();
  void get_y(float* y) const;

  // Training only, after run().
  void set_gradient(const float* dy);
  void run_backward();
  void get_word_gradients(float* dsource, float* dtarget) const;
  void get_weight_gradients(std::size_t layer, float* weights_layer, float* weights_iter, float* bias) const;

  std::string_view isa() const { return attention_.isa(); }

 private:
  struct Layer {
    GnmtLayer what;
    std::vector<RnnDirectedLayer> directed;
  };
  // The encoder or the decoder. Part 0 of what a layer reads is the output of the one before.
  struct Side {
    RnnSteps words, states;  // layouts of the words, and of a layer's states
    std::array<Layer, kGnmtLayers> layers;
    std::array<AlignedBuffer<float>, kGnmtLayers + 1> x, dx;  // what each layer reads, and the side's output
    std::array<AlignedBuffer<float>, kGnmtLayers> y;          // a layer's own states, if x is a sum of them

    float* y_of(std::size_t i) { return layers[i].what.residual ? y[i].data() : x[i + 1].data(); }
  };

  GnmtStack(const GnmtProblem&, BlockedAttention);

  Layer& layer(std::size_t i) { return (i < kGnmtLayers ? encoder_ : decoder_).layers[i % kGnmtLayers]; }
  const Layer& layer(std::size_t i) const { return (i < kGnmtLayers ? encoder_ : decoder_).layers[i % kGnmtLayers]; }
  const std::int32_t* lengths() const { return lengths_.empty() ? nullptr : lengths_.data(); }
  void clear_beyond_ends();
  void run_layer(Side&, std::size_t i, const std::int32_t* lengths);
  void run_layer_backward(Side&, std::size_t i, const std::int32_t* lengths);
  float* context_in(AlignedBuffer<float>& x) const { return x.data() + decoder_.states.elements(); }
  void add(const float* a, const float* b, float* sum, const RnnSteps&) const;

  GnmtProblem problem_;
  BlockedAttention attention_;
  Side encoder_, decoder_;
  std::vector<std::int32_t> lengths_;
  ElementwisePlan additions_;
};

}  // namespace brickwork
