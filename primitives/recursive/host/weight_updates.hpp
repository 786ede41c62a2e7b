// Gradients of weights and biases: one large product over the rows of all nodes or edges.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/recursive/body/recursive_arrays.hpp"
#include "primitives/recursive/body/recursive_geometry.hpp"

namespace brickwork {

class WeightUpdates {
 public:
  WeightUpdates(const Program& backward, int weights, int biases, const RecursiveGeometry&, Backend, Isa,
                const SimdTuning&);

  // Makes the kernels that these levels need. Throws std::runtime_error if the backend lacks one.
  void fit(const Levels&);

  // Adds up the gradients on all threads of the host.
  void run(RecursiveArrays&, const RecursiveTensors&, const Levels&);

  void get(const std::vector<float*>& weights, const std::vector<float*>& biases) const;
  std::int64_t bytes() const;

 private:
  struct Shape {
    bool bias;
    std::int64_t m, n;   // features of the operand (1 for a bias) and of the gradient
    std::int64_t steps;  // rows of the sum in one member
    friend auto operator<=>(const Shape&, const Shape&) = default;
  };
  std::int64_t rows_of(const Update&, const Levels&) const;
  std::int64_t first_row(const Update&, const ArrayInfo&, const Levels&) const;
  void make(const Shape&);
  std::int64_t width(std::int64_t first) const { return std::min(g_.bk, g_.H - first); }
  void update_block(const Update&, std::int64_t m, std::int64_t n, bool first, RecursiveArrays&,
                    const RecursiveTensors&, const Levels&) const;

  const std::vector<Update> updates_;
  const RecursiveGeometry g_;
  const Backend backend_;
  const Isa isa_;
  const SimdTuning tuning_;
  std::map<std::pair<Shape, int>, BrgemmKernelPtr> kernels_;
  AlignedBuffer<float> ones_;
  std::vector<AlignedBuffer<float>> weights_, biases_;  // [H][whole blocks of features]
};

}  // namespace brickwork
