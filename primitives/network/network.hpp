// Training a network, and inference with it, on the host: the drivers of its layers around one brick, on tensors that
// stay blocked from the images to the logits. A multilayer perceptron is a network of fully connected layers.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/base/result.hpp"
#include "primitives/network/network_layers.hpp"
#include "primitives/network/op/network_graph.hpp"
#include "primitives/sgd/op/sgd_op.hpp"
#include "primitives/softmax_loss/softmax_loss.hpp"

namespace brickwork {

// What training changes, all parameters behind each other in their layers' blocks.
struct NetworkState {
  explicit NetworkState(std::size_t size = 0) : weights(size), velocities(size) {}  // zeros

  AlignedBuffer<float> weights, velocities;
};

class Network {
 public:
  // Throws std::invalid_argument with one sentence where the graph is none, or one that no driver here takes;
  // unsupported or absent where the backend has no brick for it. All parameters are 0.
  static Result<Network> make(const NetworkGraph&, const NetworkBrick&);

  const NetworkGraph& graph() const { return graph_; }
  std::string_view isa() const { return passes_.back()->isa(); }

  const NetworkState& state() const { return state_; }
  // The i-th of parameters(), plain; its gradient, and its velocity of gradient descent with momentum.
  const std::vector<NetworkParameter>& parameters() const { return parameters_; }
  void set_parameter(std::size_t i, const float*);
  void get_parameter(std::size_t i, float* to) const { get(i, state_.weights, to); }
  void get_velocity(std::size_t i, float* to) const { get(i, state_.velocities, to); }
  void get_gradient(std::size_t i, float* to) const { get(i, gradients_, to); }
  void get(std::size_t i, const AlignedBuffer<float>& of_all, float* to) const;

  void set_images(const float* nchw);
  void get_logits(float* to) const;  // [N][classes]

  // In training: the mean loss over the images, keeping what backward() needs. Throws std::invalid_argument with one
  // sentence where a label is none of the classes.
  float forward(const std::int32_t* labels);
  // To the gradients of all parameters; after forward().
  void backward();
  // Stochastic gradient descent on all parameters; after backward(). Or to another state than its own, which stays.
  void step(const SgdStep& step) { this->step(step, state_); }
  void step(const SgdStep&, NetworkState& to);
  // To the logits alone, with the statistics of the batch normalisations that training has gathered.
  void infer();

 private:
  friend class NetworkBuilder;

  explicit Network(const NetworkGraph&);

  NetworkGraph graph_;
  std::vector<NetworkParameter> parameters_;
  std::vector<std::int64_t> first_;  // of each parameter, in the state and the gradients
  NetworkState state_;
  AlignedBuffer<float> gradients_;
  std::vector<LayerPassesPtr> passes_;  // the layers' and those that flatten, in their order
  std::vector<std::size_t> pass_of_;    // of each layer
  ActivationLayout images_;
  bool images_are_rows_ = false;               // of features, for fully connected layers
  std::vector<AlignedBuffer<float>> tensors_;  // the images, and what each pass gives
  std::vector<AlignedBuffer<float>> gradients_of_tensors_;
  BlockedOutput logits_, dlogits_;
  AlignedBuffer<float> plain_logits_, plain_dlogits_;
  SoftmaxLoss loss_;
  ElementwisePlan step_plan_;
};

}  // namespace brickwork
