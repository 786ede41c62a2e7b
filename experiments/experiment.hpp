// What the harness knows of an experiment: problems, contenders, and for one problem at a time the tensors with the
// right answer. The operation behind it stays hidden, so checking, timing and writing are written once.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "contender.hpp"

namespace brickwork {

struct ProblemInfo {
  std::string id;    // the problem's text form
  std::string name;  // in its shape file
  int count = 1;
  std::vector<std::pair<std::string, std::string>> sizes;
  double flop = 0, least_flop = 0, bytes = 0;
};

struct ContenderInfo {
  std::string name, backend, version;
};

enum class Fill {
  integers,  // small enough that every sum is exact in f32: the tolerance is 0
  floats,    // in [-1, 1): the tolerance is (flops per output) * epsilon * max|a| * max|b|
};

// One problem with its tensors and the right answer.
class Workload {
 public:
  virtual ~Workload() = default;
  virtual std::optional<std::string> unsupported(std::size_t contender) const = 0;
  virtual std::unique_ptr<Prepared> prepare(std::size_t contender) const = 0;  // must not outlive the workload

  virtual std::size_t output_size() const = 0;
  // The right output is this, repeated (images come from a few distinct ones, so that all can be judged by few).
  virtual std::span<const float> expected() const = 0;
  virtual double tolerance() const = 0;  // of the absolute error
};

class Experiment {
 public:
  virtual ~Experiment() = default;
  virtual std::string primitive() const = 0;  // "conv", "brgemm"
  virtual std::string pass() const = 0;       // "forward", "gemm"
  virtual const std::vector<ProblemInfo>& problems() const = 0;
  virtual const std::vector<ContenderInfo>& contenders() const = 0;
  virtual std::unique_ptr<Workload> load(std::size_t problem, Fill) const = 0;
  // Our plan of a problem, for each contender that has one.
  virtual std::vector<std::pair<std::string, std::string>> plans(std::size_t problem) const = 0;
};

}  // namespace brickwork
