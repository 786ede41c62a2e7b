// An experiment as the harness sees it: problems, contenders, and for one problem at a time a Workload that checks a
// contender. The operation is hidden, so that checking, timing and writing are written once for all operations.
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

// The limit of an operation's speed, which decides how the speed is counted and compared.
enum class Bound {
  flops,  // multiply-adds, compared with FMA peak and loaded roof
  bytes,  // memory traffic, compared with the stream's bandwidth
};

constexpr const char* to_string(Bound bound) { return bound == Bound::flops ? "flops" : "bytes"; }

struct ProblemInfo {
  std::string id;    // the problem's text form
  std::string name;  // in its shape file
  int count = 1;
  std::vector<std::pair<std::string, std::string>> sizes;  // column, value
  std::vector<std::string> setting;                        // shared by all problems of a run: "N=28", "bias+relu"
  std::string dtype;
  Bound bound = Bound::flops;
  double flop = 0, least_flop = 0, bytes = 0;
  double bytes_written = 0;  // part of `bytes`
  Rereads rereads;           // bytes that are read several times

  double work() const { return bound == Bound::flops ? flop : bytes; }
};

struct ContenderInfo {
  std::string name;
  Library library;
  bool ours = false;
  bool tuned = false;         // by our simd brick's calibration
  std::string searched_for;   // this one runs another plan chosen for that contender; mostly empty
  double search_seconds = 0;  // for which this one measures plans of each problem
  std::string device = "cpu";
  std::optional<Elsewhere> elsewhere;  // another program checks and times it
  double least_share = 1;              // contender.hpp

  bool runs_elsewhere() const { return elsewhere && library.absent.empty(); }
};

// One problem with its tensors and the right answer.
class Workload {
 public:
  virtual ~Workload() = default;
  // The prepared contender must not outlive the workload.
  virtual Checked check(std::size_t contender) const = 0;
};

class Experiment {
 public:
  virtual ~Experiment() = default;
  virtual std::string primitive() const = 0;    // "conv", "brgemm"
  virtual std::string pass() const = 0;         // "forward", "gemm"
  virtual std::string shapes() const = 0;       // the shape set's name; empty if problems were given as text
  virtual std::size_t shapes_size() const = 0;  // problems in the set, chosen or not
  virtual const std::vector<ProblemInfo>& problems() const = 0;
  virtual const std::vector<ContenderInfo>& contenders() const = 0;
  // Unsupported if the problem does not fit into the memory, or its answer cannot be checked.
  virtual Result<std::unique_ptr<Workload>> load(std::size_t problem, Fill) const = 0;
  // For each contender that has plans: its plan of this problem, or the reason why there is none.
  virtual std::vector<std::pair<std::string, Result<std::string>>> plans(std::size_t problem) const = 0;
};

}  // namespace brickwork
