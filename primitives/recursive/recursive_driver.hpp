// The parts of a recursive model's driver, put together.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "primitives/recursive/body/recursive_binding.hpp"
#include "primitives/recursive/body/recursive_steps.hpp"
#include "primitives/recursive/host/weight_updates.hpp"
#include "primitives/recursive/recursive.hpp"

namespace brickwork {

// A list of the host where the target computes.
template <class T>
class TargetList {
 public:
  const T* of(const std::vector<T>& list, const MemoryTarget& target, bool on_host) {
    if (on_host) return list.data();
    if (there_.size() < list.size()) there_ = {static_cast<std::int64_t>(list.size()), target};
    std::copy(list.begin(), list.end(), there_.host());
    if (!list.empty()) there_.send();
    return there_.data();
  }

 private:
  TargetArray<T> there_;
};

class RecursiveDriver {
 public:
  RecursiveDriver(const RecursiveWork&, const RecursivePlan&, const RecursiveTarget&);
  // The two parts that may be refused.
  std::string make_passes();  // why there is no brick, or nothing
  void make_updates(Backend, Isa, const SimdTuning&);
  void keep(std::unique_ptr<RecursiveTarget> target) { own_target_ = std::move(target); }

  void set_parameters(const std::vector<const float*>& weights, const std::vector<const float*>& biases);
  void linearize(const Forest&);
  void run(const std::vector<const float*>& inputs);
  void run_backward(const std::vector<const float*>& inputs, const std::vector<const float*>& upstream,
                    const std::vector<float*>& input_gradients);
  void get_state(int state, float* plain) const;
  void get_gradients(const std::vector<float*>& weights, const std::vector<float*>& biases) const;

  const RecursivePlan& plan() const { return plan_; }
  const std::string& isa() const { return passes_.isa; }
  std::string program() const;
  std::int64_t bytes() const;

 private:
  struct Packed {
    PackedStages before, leaves, inner;
  };
  bool on_host() const { return on_host_; }
  Packed packed(const Program& program) const;
  void append_of_parents(const std::int32_t* of_places, std::vector<std::int32_t>& to) const;
  void copy_inputs(const std::vector<const float*>& inputs);
  void run_program(const Packed&, const StepsOfRun&);

  const Cell& cell_;
  const RecursivePlan plan_;
  const RecursiveUse use_;
  const RecursiveTarget& target_;
  std::unique_ptr<RecursiveTarget> own_target_;
  const Lowered lowered_;
  const RecursiveGeometry g_;
  const bool on_host_;
  RecursivePasses passes_;
  Packed forward_, backward_;
  std::vector<TargetArray<float>> biases_, inputs_;  // inputs_: not on the host
  Linearizer linearizer_;
  const Levels* levels_ = nullptr;
  StructureKind kind_ = StructureKind::tree;
  const bool reads_parents_child_;
  std::vector<std::int32_t> parents_number_, parents_child_;  // [edge], [position][edge]: by RowMode
  RecursiveArrays arrays_;
  RecursiveTensors tensors_;
  ScratchLayout layout_;
  TargetArray<float> scratch_, zeros_;
  std::optional<WeightUpdates> updates_;

  ProgramArrays program_;
  // Copies for a target that is not the host.
  TargetList<std::int32_t> parent_, child_, child_at_, node_, number_, by_position_, first_edge_, first_use_, uses_;
  TargetList<BoundInstruction> instructions_;
  TargetList<Some> operands_, phases_;
  TargetList<BoundCall> calls_;
  TargetList<std::uint64_t> offsets_a_, offsets_b_;
  TargetList<BoundStage> stages_;
  TargetList<Step> steps_;
};

}  // namespace brickwork
