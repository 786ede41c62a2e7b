// What the harness asks of every implementation, ours and the libraries' alike.
//
// A contender supports a problem or says why not; prepared once per problem from plain tensors, it packs, runs and
// unpacks. Only run() is the work the figures show; pack() is timed as a phase of its own.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brgemm_problem.hpp"
#include "conv/conv_problem.hpp"

namespace brickwork {

// The machine share a contender may use. Every contender uses exactly this many threads of the process's one OpenMP
// runtime (omp_set_num_threads has been called with it before prepare).
struct Resources {
  int threads = 1;
};

// Plain tensors of one convolution problem, owned by the harness; see ConvProblem for their layout.
struct ConvTensors {
  const float* src = nullptr;
  const float* weights = nullptr;
  const float* bias = nullptr;      // K floats, null unless epilogue.bias
  const float* residual = nullptr;  // shape of dst, null unless epilogue.residual
};

// A prepared contender: holds its own packed tensors and scratch, all allocated in prepare().
class Prepared {
 public:
  virtual ~Prepared() = default;
  virtual void pack() = 0;                    // plain src and weights -> own layout; may be called again and again
  virtual void run() = 0;                     // the primitive; overwrites its output; may be called again and again
  virtual void unpack(float* dst_plain) = 0;  // own output layout -> plain dst
  virtual std::string implementation() const {
    return {};
  }  // the library's own name of what it runs, e.g. "brg_conv:avx512_core"
  virtual std::string plan() const { return {}; }  // our plan's text form
  virtual std::string isa() const { return {}; }
};

template <class Problem, class Tensors>
class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string name() const = 0;     // as typed on the command line: "simd", "onednn", "libxsmm-dnn"
  virtual std::string backend() const = 0;  // the brick's backend for ours, the library's name for baselines
  virtual std::string version() const = 0;
  // The reason why the problem cannot be run; nullopt when it can.
  virtual std::optional<std::string> unsupported(const Problem&, const Resources&) const = 0;
  // Throws std::runtime_error with one sentence where the library refuses after all: the row says failed.
  virtual std::unique_ptr<Prepared> prepare(const Problem&, const Tensors&, const Resources&) const = 0;
};

using ConvContender = Contender<ConvProblem, ConvTensors>;
using BrgemmContender = Contender<BrgemmProblem, BrgemmTensors>;

}  // namespace brickwork
