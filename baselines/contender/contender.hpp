// What the harness asks of every implementation of an operation, ours and the libraries' alike: a contender is a value.
//
// It is prepared once per problem from plain tensors, or says why it cannot be; then it packs, runs and unpacks. Only
// run() is the work the figures show; pack() is timed as a phase of its own.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "baselines/contender/device_queue.hpp"
#include "kernels/base/result.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// The machine share a contender may use. Every contender uses exactly this many threads of the process's one OpenMP
// runtime (omp_set_num_threads has been called with it before prepare).
struct Resources {
  int threads = 1;
};

// A prepared contender: holds its own packed tensors and scratch, all allocated when it was prepared. The plain inputs
// outlive it.
class Prepared {
 public:
  virtual ~Prepared() = default;
  virtual void pack() = 0;  // plain inputs, which may have changed -> own layouts; may be called again and again
  virtual void run() = 0;   // the operation; overwrites its outputs; may be called again and again
  virtual void unpack(PlainTensors& outputs) = 0;  // own layouts -> plain outputs
  // Where run() leaves its work to be done later; null where it has done it when it returns. Whoever has one makes
  // pack() forget earlier outputs, so that a replay that does nothing shows; pack() and unpack() have always done their
  // work.
  virtual DeviceQueue* queue() { return nullptr; }
  virtual std::string implementation() const { return {}; }  // the library's own name: "brg_conv:avx512_core"
  virtual std::string plan() const { return {}; }            // our plan's text form
  virtual std::string isa() const { return {}; }
  virtual std::string tuning() const { return {}; }  // of our simd brick: its text form
};
using PreparedPtr = std::unique_ptr<Prepared>;

struct Library {
  std::string name, version;  // "oneDNN", "3.2.0"; for ours the brick's backend and what is behind it
  std::string absent;         // why this build or machine lacks it; empty when it is here
};

// For a library that must not share a process with ours, mostly as its threads would fight ours for the cores: another
// program of ours measures it, with the same harness and a peak of its own.
struct Elsewhere {
  std::string program;      // its path
  std::string contender;    // its name there
  bool own_threads = true;  // which are not those of OpenMP
};

template <Operation Op>
struct Contender {
  using Problem = typename Op::Problem;

  std::string name;  // as typed on the command line: "brickwork-simd", "onednn", "libxsmm-dnn"
  Library library;
  bool ours = false;
  bool tuned = false;          // to the machine, by our simd brick's calibration
  std::string device = "cpu";  // or "cuda"
  double rounding = 0;         // share of the largest right output that its algorithm may be off, of integers, too
  double least_share = 1;      // of a direct algorithm's least flops so many may be all that its own computes
  bool slow = false;           // there to be right, not to be fast: left out unless it is named
  std::string searched_for;    // the contender whose plan this one tries to better, and comes along with; mostly empty
  // Unsupported or misfit with a reason where it cannot be. Throws where the library refuses after all: the row says
  // failed. Not called where the library is absent.
  std::function<Result<PreparedPtr>(const Problem&, const PlainTensors& inputs, const Resources&)> prepare;
  // Then prepare is null and the library's version is what the other program says.
  std::optional<Elsewhere> elsewhere;
  // Our plan of a problem, without any tensor; null where there is none.
  std::function<Result<std::string>(const Problem&, const Resources&)> plan;
};

// In place of a contender whose library this build lacks, so that its rows say why there is no number.
template <Operation Op>
Contender<Op> absent_library(std::string name, std::string library) {
  const std::string reason =
      "built without " + library + ": run scripts/setup, or put its package on CMAKE_PREFIX_PATH, and configure anew";
  return {.name = std::move(name), .library = {.name = std::move(library), .version = {}, .absent = reason}};
}

template <Operation Op>
Result<PreparedPtr> prepare(const Contender<Op>& contender, const typename Op::Problem& problem,
                            const PlainTensors& inputs, const Resources& resources) {
  if (!contender.library.absent.empty()) return Result<PreparedPtr>::absent(contender.library.absent);
  return contender.prepare(problem, inputs, resources);
}

}  // namespace brickwork
