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
  struct Packed {
    PackedStages before, inner, leaves;
  };
  // A stage of a level: of `stages`, which is one of the programs of a cell.
  struct Step {
    int stages;
    Work work;
    Level level;
  };
  using Steps = std::vector<std::vector<Step>>;  // all threads meet after each of the outer ones

  RecursiveOnHost(const RecursiveWork&, const RecursivePlan&, Backend, Isa, const SimdTuning&);
  std::string make_bricks(Backend, Isa, const SimdTuning&);  // returns why there is none, or nothing
  void pack(const Program&, Packed&, const std::vector<const float*>& weights) const;
  // In training, forward and backward pass through the same levels.
  Division division() const { return use_ == RecursiveUse::training ? Division::shared : plan_.division(); }
  void append(Steps&, int stages, const Phase&) const;
  void append_whole(Steps&, int stages, std::size_t count, const Level& nodes) const;
  Steps forward_steps() const;
  Steps backward_steps() const;
  void run_steps(const Program&, const Packed&, const Steps&);

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
  StructureKind kind_ = StructureKind::tree;
  std::vector<std::int32_t> parents_number_;
  RecursiveArrays arrays_;
  RecursiveTensors tensors_;
  std::vector<StageScratch> scratch_;  // of each thread
  WeightUpdates updates_;
};

}  // namespace brickwork
