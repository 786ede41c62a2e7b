// What can be learned, as the program learn sees it: a name, what data it takes, and a training that goes on epoch by
// epoch. Whatever is random follows the seed alone.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "primitives/network/network_layers.hpp"

namespace brickwork {

// Means over an epoch, of each minibatch as training was when it saw it.
struct Epoch {
  double loss = 0;     // what descends
  double measure = 0;  // the task's
};

class Learner {
 public:
  virtual ~Learner() = default;

  // Examples of an epoch, and of the test, none of which is trained on.
  virtual std::int64_t trained_on() const = 0;
  virtual std::int64_t tested_on() const = 0;

  virtual Epoch epoch() = 0;
  virtual double test() = 0;            // the task's measure
  virtual double baseline() const = 0;  // the same of the task's baseline on the same test
};
using LearnerPtr = std::unique_ptr<Learner>;

struct LearningSetting {
  std::string data;  // a file's name; empty where the task makes its data
  int epochs = 1;
  std::uint32_t seed = 1;
  // Its plans are those of all cores, whatever the threads: they fix the order of every sum, so that the numbers are
  // the same on any of them.
  NetworkBrick brick;
};

struct LearningTask {
  std::string name, about;
  std::string data;      // what is wanted as data; empty: it makes its own
  std::string examples;  // what one learns from, in the plural
  std::string measure;   // how well it does
  std::string baseline;  // who does it without learning, or with less
  int epochs = 1;        // unless the user wants others
  // Throws std::invalid_argument with one sentence where the data will not do, std::runtime_error with the reason where
  // there is no brick for it.
  std::function<LearnerPtr(const LearningSetting&)> begin;
};

}  // namespace brickwork
