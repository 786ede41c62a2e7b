// The interface of every implementation of an operation, ours and the libraries': a contender is a value.
//
// A contender is prepared once per problem from plain tensors, or says why it cannot be. Then it packs, runs and
// unpacks. Figures show run() only; pack() is timed as a phase of its own.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "baselines/contender/device_queue.hpp"
#include "kernels/base/result.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// The share of the machine that a contender may use: exactly this many threads of the process's one OpenMP runtime
// (omp_set_num_threads has been called with it before prepare).
struct Resources {
  int threads = 1;
};

// A prepared contender. It holds its own packed tensors and scratch, all allocated when it was prepared. The plain
// inputs outlive it.
class Prepared {
 public:
  virtual ~Prepared() = default;
  virtual void pack() = 0;  // plain inputs, which may have changed -> own layouts; may be called many times
  virtual void run() = 0;   // the operation; overwrites its outputs; may be called many times
  virtual void unpack(PlainTensors& outputs) = 0;  // own layouts -> plain outputs
  // If run() only queues its work, the queue; null if run() returns when the work is done. With a queue, pack() must
  // clear earlier outputs, so that a replay that does nothing is noticed; pack() and unpack() return when their work is
  // done.
  virtual DeviceQueue* queue() { return nullptr; }
  virtual std::string implementation() const { return {}; }  // the library's own name: "brg_conv:avx512_core"
  virtual std::string plan() const { return {}; }            // our plan's text form
  // Seconds that choosing the plan took, also if that was in an earlier run; nullopt if nothing was searched.
  virtual std::optional<double> plan_seconds() const { return std::nullopt; }
  virtual std::string isa() const { return {}; }
  virtual std::string tuning() const { return {}; }  // of our simd brick: its text form
};
using PreparedPtr = std::unique_ptr<Prepared>;

struct Library {
  std::string name, version;  // "oneDNN", "3.2.0"; for ours the brick's backend and the library behind it
  std::string absent;         // why this build or machine lacks it; empty if it is here
};

// For a library that must not share a process with ours, mostly because its threads would compete with ours for the
// cores. Another program of ours measures it, with the same harness and its own peak.
struct Elsewhere {
  std::string program;      // its path
  std::string contender;    // its name there
  bool own_threads = true;  // the library's threads are not OpenMP's
};

template <Operation Op>
struct Contender {
  using Problem = typename Op::Problem;

  std::string name;  // as typed on the command line: "brickwork-simd", "onednn", "libxsmm-dnn"
  Library library;
  bool ours = false;
  bool tuned = false;          // to the machine, by the calibration of our simd brick
  std::string device = "cpu";  // or "cuda"
  double rounding = 0;         // allowed error, also on integers, as a share of the largest right output
  double least_share = 1;      // least flops of its own algorithm, as a share of a direct algorithm's least flops
  bool slow = false;  // left out unless it is named: it is meant to be right, not fast, or takes minutes to prepare
  std::string searched_for;   // a contender: this one chooses another plan for it, and is selected with it
  double search_seconds = 0;  // that this one measures plans for each problem
  bool analysed = false;      // its plans are those of the analysis
  // Returns unsupported or misfit with a reason if the contender cannot do the problem. Throws if the library refuses
  // after all: the row says failed. Not called if the library is absent.
  std::function<Result<PreparedPtr>(const Problem&, const PlainTensors& inputs, const Resources&)> prepare;
  // If set, prepare is null, and the other program reports the library's version.
  std::optional<Elsewhere> elsewhere;
  // Returns our plan for a problem as text, and needs no tensors; null if the contender has no plans.
  std::function<Result<std::string>(const Problem&, const Resources&)> plan;
};

// Stands for a contender that lacks its library in this build, so that its rows say why there is no number.
template <Operation Op>
Contender<Op> absent_library(std::string name, std::string library) {
  const std::string reason =
      "built without " + library + ": run scripts/setup, or put its package on CMAKE_PREFIX_PATH, and configure again";
  return {.name = std::move(name), .library = {.name = std::move(library), .version = {}, .absent = reason}};
}

template <Operation Op>
Result<PreparedPtr> prepare(const Contender<Op>& contender, const typename Op::Problem& problem,
                            const PlainTensors& inputs, const Resources& resources) {
  if (!contender.library.absent.empty()) return Result<PreparedPtr>::absent(contender.library.absent);
  return contender.prepare(problem, inputs, resources);
}

}  // namespace brickwork
