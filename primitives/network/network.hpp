// Training and inference of a network on the host: the drivers of its layers around one brick, on tensors that stay
// blocked from the images to the logits. A multilayer perceptron is a network of fully connected layers.
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

// What training changes. All parameters follow each other, in their layers' blocks.
struct NetworkState {
  explicit NetworkState(std::size_t size = 0) : weights(size), velocities(size) {}  // zeros

  AlignedBuffer<float> weights, velocities;
};

class Network {
 public:
  // Throws std::invalid_argument with one sentence if the graph is not valid or no driver here takes it. Unsupported or
  // absent if the backend has no brick for it. All parameters are 0.
  static Result<Network> make(const NetworkGraph&, const NetworkBrick&);

  const NetworkGraph& graph() const { return graph_; }
  std::string_view isa() const { return passes_.back()->isa(); }

  const NetworkState& state() const { return state_; }
  // Parameter i of parameters(), as a plain tensor; its gradient; its velocity in gradient descent with momentum.
  const std::vector<NetworkParameter>& parameters() const { return parameters_; }
  void set_parameter(std::size_t i, const float*);
  void get_parameter(std::size_t i, float* to) const { get(i, state_.weights, to); }
  void get_velocity(std::size_t i, float* to) const { get(i, state_.velocities, to); }
  void get_gradient(std::size_t i, float* to) const { get(i, gradients_, to); }
  void get(std::size_t i, const AlignedBuffer<float>& of_all, float* to) const;

  void set_images(const float* nchw);
  void get_logits(float* to) const;  // [N][classes]

  // Training: returns the mean loss over the images and keeps what backward() needs. Throws std::invalid_argument with
  // one sentence if a label is not one of the classes.
  float forward(const std::int32_t* labels);
  // Computes the gradients of all parameters; call it after forward().
  void backward();
  // A step of stochastic gradient descent on all parameters; call it after backward(). With `to`, the result goes
  // there, and the network's own state stays.
  void step(const SgdStep& step) { this->step(step, state_); }
  void step(const SgdStep&, NetworkState& to);
  // Computes the logits only, with the statistics that batch normalisations have gathered in training.
  void infer();

 private:
  friend class NetworkBuilder;

  explicit Network(const NetworkGraph&);

  NetworkGraph graph_;
  std::vector<NetworkParameter> parameters_;
  std::vector<std::int64_t> first_;  // where each parameter begins in the state and the gradients
  NetworkState state_;
  AlignedBuffer<float> gradients_;
  std::vector<LayerPassesPtr> passes_;  // of the layers, and of flattening between them, in order
  std::vector<std::size_t> pass_of_;    // of each layer
  ActivationLayout images_;
  bool images_are_rows_ = false;               // of features, for fully connected layers
  std::vector<AlignedBuffer<float>> tensors_;  // the images, and each pass' output
  std::vector<AlignedBuffer<float>> gradients_of_tensors_;
  BlockedOutput logits_, dlogits_;
  AlignedBuffer<float> plain_logits_, plain_dlogits_;
  SoftmaxLoss loss_;
  ElementwisePlan step_plan_;
};

}  // namespace brickwork
