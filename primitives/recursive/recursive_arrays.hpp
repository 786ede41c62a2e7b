// The memory of a lowered cell for one minibatch of structures.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/recursive/lowering/program.hpp"
#include "primitives/recursive/structures/linearizer.hpp"

namespace brickwork {

// A user's tensors, in the order of the cell's inputs, biases and states; upstream and input_gradients in training
// only.
struct RecursiveTensors {
  std::vector<const float*> inputs, biases, upstream;
  std::vector<float*> input_gradients;
};

class RecursiveArrays {
 public:
  RecursiveArrays(std::vector<ArrayInfo> infos, std::int64_t H, bool dense)
      : infos_(std::move(infos)), H_(H), dense_(dense) {}

  // Makes room for these levels; memory only grows.
  void fit(const Levels&);

  const ArrayInfo& info(int array) const { return infos_[static_cast<std::size_t>(array)]; }
  float* data(int array, const RecursiveTensors&);
  bool is_by_level(int array) const { return dense_ && info(array).kind == ArrayKind::crossing; }
  // The first array that holds a state.
  const float* state(int which) const;
  std::int64_t bytes() const;

 private:
  std::int64_t rows_of(const ArrayInfo&, const Levels&) const;

  std::vector<ArrayInfo> infos_;
  std::int64_t H_;
  bool dense_;
  std::vector<AlignedBuffer<float>> buffers_;
};

}  // namespace brickwork
