// A recursive model on the host's threads.
#pragma once
#include <string>
#include <vector>

#include "primitives/recursive/host/stage_runner.hpp"
#include "primitives/recursive/host/weight_updates.hpp"
#include "primitives/recursive/recursive.hpp"

namespace brickwork {

class RecursiveOnHost {
 public:
  static Result<std::unique_ptr<RecursiveOnHost>> make(const RecursiveWork&, const RecursivePlan&, Backend, Isa,
                                                       const SimdTuning&);

  void set_parameters(const std::vector<const float*>& weights, const std::vector<const float*>& biases);
  void linearize(const Forest&);
  void run(const std::vector<const float*>& inputs);
  void run_backward(const std::vector<const float*>& inputs, const std::vector<const float*>& upstream,
                    const std::vector<float*>& input_gradients);
  void get_state(int state, float* plain) const;
  void get_gradients(const std::vector<float*>& weights, const std::vector<float*>& biases) const;

  const RecursivePlan& plan() const { return plan_; }
  std::string_view isa() const { return bricks_.weights->isa(); }
  std::string program() const;
  std::int64_t bytes() const;

 private:
  // One step of a pass: the stages of the nodes of a level.
  struct Step {
    int stages;  // index in Bound::all
    Level level;
  };
  struct Packed {
    PackedStages before, inner, leaves;
  };
  struct Bound {
    std::vector<BoundStage> all[3];
  };

  RecursiveOnHost(const RecursiveWork&, const RecursivePlan&, Backend, Isa, const SimdTuning&);
  std::string make_bricks(Backend, Isa, const SimdTuning&);  // returns why there is none, or nothing
  void pack(const Program&, Packed&, const std::vector<const float*>& weights) const;
  void run_steps(const Program&, const Packed&, const std::vector<Step>&);

  const Cell& cell_;
  const RecursivePlan plan_;
  const RecursiveUse use_;
  const Lowered lowered_;
  const RecursiveGeometry g_;
  RecursiveBricks bricks_;
  Packed packed_forward_, packed_backward_;
  std::vector<AlignedBuffer<float>> biases_;
  Linearizer linearizer_;
  const Levels* levels_ = nullptr;
  std::vector<Level> forward_levels_;  // of inner nodes, in the order of computation
  std::vector<std::int32_t> parents_number_;
  RecursiveArrays arrays_;
  RecursiveTensors tensors_;
  std::vector<StageScratch> scratch_;  // of each thread
  WeightUpdates updates_;
};

}  // namespace brickwork
