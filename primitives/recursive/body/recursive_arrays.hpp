// The memory of a lowered cell for one minibatch of structures.
#pragma once
#include <cstdint>
#include <vector>

#include "primitives/recursive/lowering/program.hpp"
#include "primitives/recursive/structures/linearizer.hpp"
#include "primitives/tensors/target_array.hpp"

namespace brickwork {

// A user's tensors where the target computes, in the order of the cell's inputs, biases and states; upstream and
// input_gradients in training only.
struct RecursiveTensors {
  std::vector<const float*> inputs, biases, upstream;
  std::vector<float*> input_gradients;
};

class RecursiveArrays {
 public:
  RecursiveArrays(std::vector<ArrayInfo> infos, std::int64_t H, bool dense, const MemoryTarget& target)
      : infos_(std::move(infos)), H_(H), dense_(dense), target_(&target) {}

  // Makes room for these levels; memory only grows.
  void fit(const Levels&);

  const ArrayInfo& info(int array) const { return infos_[static_cast<std::size_t>(array)]; }
  float* data(int array, const RecursiveTensors&);
  bool is_by_level(int array) const { return dense_ && info(array).kind == ArrayKind::crossing; }
  // Copies a state of all nodes by place to the host, if it is not there, and returns it.
  const float* fetched_state(int which) const;
  std::int64_t bytes() const;

 private:
  std::int64_t rows_of(const ArrayInfo&, const Levels&) const;
  std::int64_t item(const ArrayInfo& info) const { return info.matrix ? H_ * H_ : H_; }

  std::vector<ArrayInfo> infos_;
  std::int64_t H_;
  bool dense_;
  const MemoryTarget* target_;
  std::vector<TargetArray<float>> buffers_;
};

}  // namespace brickwork
