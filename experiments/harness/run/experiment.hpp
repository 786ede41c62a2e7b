// What the harness knows of an experiment: problems, contenders, and for one problem at a time the means to check a
// contender. The operation behind it stays hidden, so checking, timing and writing are written once.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "baselines/contender/checker.hpp"
#include "kernels/base/result.hpp"

namespace brickwork {

// What holds an operation up, and so what its speed is counted in and compared with.
enum class Bound {
  flops,  // multiply-adds: FMA peak and loaded roof
  bytes,  // the memory: the stream's bandwidth
};

constexpr const char* to_string(Bound bound) { return bound == Bound::flops ? "flops" : "bytes"; }

struct ProblemInfo {
  std::string id;    // the problem's text form
  std::string name;  // in its shape file
  int count = 1;
  std::vector<std::pair<std::string, std::string>> sizes;  // column, value
  std::vector<std::string> setting;                        // what it shares with others: "N=28", "bias+relu"
  std::string dtype;
  Bound bound = Bound::flops;
  double flop = 0, least_flop = 0, bytes = 0;
  double bytes_written = 0;  // of these
  Rereads rereads;           // of what is read

  double work() const { return bound == Bound::flops ? flop : bytes; }
};

struct ContenderInfo {
  std::string name;
  Library library;
  bool ours = false;
  bool tuned = false;        // by our simd brick's calibration
  std::string searched_for;  // the contender whose plan this one tries to better; mostly empty
  std::string device = "cpu";
  std::optional<Elsewhere> elsewhere;  // then it is never checked here
  double least_share = 1;              // contender.hpp

  bool runs_elsewhere() const { return elsewhere && library.absent.empty(); }
};

// One problem with its tensors and the right answer.
class Workload {
 public:
  virtual ~Workload() = default;
  // What is prepared must not outlive the workload.
  virtual Checked check(std::size_t contender) const = 0;
};

class Experiment {
 public:
  virtual ~Experiment() = default;
  virtual std::string primitive() const = 0;    // "conv", "brgemm"
  virtual std::string pass() const = 0;         // "forward", "gemm"
  virtual std::string shapes() const = 0;       // the shape set's name; empty where problems were given as text
  virtual std::size_t shapes_size() const = 0;  // how many problems the set holds, whether chosen or not
  virtual const std::vector<ProblemInfo>& problems() const = 0;
  virtual const std::vector<ContenderInfo>& contenders() const = 0;
  // Unsupported where the problem does not fit into the memory, or its answer cannot be checked.
  virtual Result<std::unique_ptr<Workload>> load(std::size_t problem, Fill) const = 0;
  // Our plan of a problem, or the reason why there is none, for each contender that has plans.
  virtual std::vector<std::pair<std::string, Result<std::string>>> plans(std::size_t problem) const = 0;
};

}  // namespace brickwork
