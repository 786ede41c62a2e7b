// Prepares the passes of recurrent layers for contenders on the host or a GPU. Base has driver_, an Rnn, and plain_.
#pragma once
#include <fmt/format.h>

#include "primitives/op/plain_tensors.hpp"
#include "primitives/rnn/rnn.hpp"

namespace brickwork {

template <class Base>
class PreparedRnn : public Base {
 public:
  using Base::Base;

  void pack() override {
    const PlainTensors& plain = this->plain_;
    Rnn& driver = this->driver_;
    driver.set_x(plain.at<float>("x"));
    driver.set_states(plain.at<float>("h0"), plain.at<float>("c0"));
    driver.set_lengths(plain.at<std::int32_t>("lengths"));
    for (std::int64_t l = 0; l < driver.problem().L; ++l) {
      const auto weights = [&](const char* name) { return plain.at<float>(fmt::format("{}.{}", name, l)); };
      driver.set_weights(l, weights("weights_layer"), weights("weights_iter"), weights("bias"));
    }
  }
};

template <class Base>
class PreparedRnnForward final : public PreparedRnn<Base> {
 public:
  using PreparedRnn<Base>::PreparedRnn;

  void run() override { this->driver_.run(); }
  void unpack(PlainTensors& out) override {
    this->driver_.get_y(out.at<float>("y"));
    this->driver_.get_states(out.at<float>("hT"), out.at<float>("cT"));
  }
};

// Backward by data, the weight update, or both. pack() runs forward and, for an update alone, backward by data.
template <class Base, bool kData, bool kUpdate>
class PreparedRnnBackward final : public PreparedRnn<Base> {
 public:
  using PreparedRnn<Base>::PreparedRnn;

  void pack() override {
    PreparedRnn<Base>::pack();
    const PlainTensors& plain = this->plain_;
    this->driver_.run();
    this->driver_.set_gradients(plain.at<float>("dy"), plain.at<float>("dhT"), plain.at<float>("dcT"));
    if (!kData) this->driver_.run_backward_data();
  }
  void run() override {
    if (kData) this->driver_.run_backward_data();
    if (kUpdate) this->driver_.run_weight_update();
  }
  void unpack(PlainTensors& out) override {
    const Rnn& driver = this->driver_;
    if (kData) driver.get_data_gradients(out.at<float>("dx"), out.at<float>("dh0"), out.at<float>("dc0"));
    for (std::int64_t l = 0; kUpdate && l < driver.problem().L; ++l) {
      const auto gradient = [&](const char* name) { return out.at<float>(fmt::format("{}.{}.gradient", name, l)); };
      driver.get_weight_gradients(l, gradient("weights_layer"), gradient("weights_iter"), gradient("bias"));
    }
  }
};

}  // namespace brickwork
