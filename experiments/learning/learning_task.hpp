// The interface between the program learn and its tasks: a name, the data that a task needs, and a training that runs
// epoch by epoch. All random numbers depend on the seed alone.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "primitives/network/network_layers.hpp"

namespace brickwork {

// Means over the minibatches of an epoch, each evaluated just before its training step.
struct Epoch {
  double loss = 0;     // minimised by training
  double measure = 0;  // the task's measure, such as the accuracy
};

class Learner {
 public:
  virtual ~Learner() = default;

  // Number of examples in an epoch and in the test. No test example is ever trained on.
  virtual std::int64_t trained_on() const = 0;
  virtual std::int64_t tested_on() const = 0;

  virtual Epoch epoch() = 0;
  virtual double test() = 0;            // the task's measure on the test
  virtual double baseline() const = 0;  // the measure that the task's baseline has on the same test

  // Writes what the training leaves, if anything, into the folder of results; returns what a person should know of it.
  virtual std::string finish(const std::filesystem::path&) { return {}; }
};
using LearnerPtr = std::unique_ptr<Learner>;

struct LearningSetting {
  std::string data;  // name of a file; empty if the task makes its data
  int epochs = 1;
  std::uint32_t seed = 1;
  // Its plans are made for all cores of the machine, whatever --threads says: plans fix the order of every sum, so the
  // results are the same on any number of threads.
  NetworkBrick brick;
};

struct LearningTask {
  std::string name, about;
  std::string data;      // the data that it needs, in words; empty if it makes its own
  std::string examples;  // what it learns from, in words and in the plural: "images"
  std::string measure;   // name of the measure: "accuracy"
  std::string baseline;  // the baseline in words: "always answering 1"
  int epochs = 1;        // default number of epochs
  // Throws std::invalid_argument with one sentence if the data are wrong, std::runtime_error with the reason if the
  // backend has no brick for the network.
  std::function<LearnerPtr(const LearningSetting&)> begin;
};

}  // namespace brickwork
