// Recursive models over minibatches of structures, inference and training: any cell (op/cell.hpp), lowered to level
// batches around the brick.
//
// Source: Fegade et al., "Cortex: A Compiler for Recursive Deep Learning Models", MLSys 2021, arXiv 2011.01383.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/brgemm/brgemm.hpp"
#include "primitives/recursive/op/cell.hpp"
#include "primitives/recursive/recursive_plan.hpp"
#include "primitives/recursive/recursive_target.hpp"

namespace brickwork {

enum class RecursiveUse { inference, training };  // training keeps what the gradients need

struct RecursiveWork {
  const Cell* cell = nullptr;  // must outlive the driver
  std::int64_t H = 0;
  RecursiveUse use = RecursiveUse::inference;
  std::int64_t most_children = 0;  // of any node; 0: as many as the cell takes, or 64 if it takes any number
};

class RecursiveDriver;

// Tensors are plain and row-major, in the order in which the cell names them (recursive_ops.hpp): an input has a row
// for each node of the forest by number (or for each leaf).
class Recursive {
 public:
  // On the host. Refused if the plan does not fit.
  static Result<Recursive> make(const RecursiveWork&, const RecursivePlan&, Backend, Isa = Isa::best,
                                const SimdTuning& = {});
  // Inference on any target, which must outlive the driver.
  static Result<Recursive> make(const RecursiveWork&, const RecursivePlan&, const RecursiveTarget&);
  Recursive(Recursive&&) noexcept;
  Recursive& operator=(Recursive&&) noexcept;
  ~Recursive();

  // Copies them: [H][H] and [H].
  void set_parameters(const std::vector<const float*>& weights, const std::vector<const float*>& biases);

  // Computes all states. Structures may differ from call to call. Throws std::invalid_argument as the linearizer does.
  void run(const Forest&, const std::vector<const float*>& inputs);
  void get_state(int state, float* plain) const;  // of all nodes, by number

  // Training only, after run(), with its inputs: `upstream` has the gradient of each state of all nodes.
  void run_backward(const std::vector<const float*>& inputs, const std::vector<const float*>& upstream,
                    const std::vector<float*>& input_gradients);
  void get_gradients(const std::vector<float*>& weights, const std::vector<float*>& biases) const;

  // The two parts of run(): the one that works on structures alone, and the rest, for the structures that were last
  // linearized.
  void linearize(const Forest&);
  void run(const std::vector<const float*>& inputs);

  const RecursivePlan& plan() const;
  std::string_view isa() const;
  std::string program() const;  // the lowered cell as text
  std::int64_t bytes() const;   // of the memory that it holds, packed weights included

 private:
  explicit Recursive(std::unique_ptr<RecursiveDriver>);

  std::unique_ptr<RecursiveDriver> driver_;
};

}  // namespace brickwork
