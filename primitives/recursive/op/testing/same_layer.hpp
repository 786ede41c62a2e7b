// A recurrent layer (primitives/rnn) that computes what a cell computes over sequences, for tests: its tensors made of
// the cell's.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "primitives/op/plain_tensors.hpp"
#include "primitives/recursive/op/cells.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

// One layer of one direction, whose steps have as many features as its state.
struct SameLayer {
  RecursiveModel model;
  const char* cell;   // of the layer
  std::string gates;  // of the layer, in its order, by the last letters of the cell's weights
  std::int64_t steps, sequences, features;

  RnnProblem problem() const {
    return parse_problem<RnnProblem>(fmt::format("T{} N{} C{} {}", steps, sequences, features, cell));
  }

  // Rows of nodes, numbered by sequence and then by step, in the layer's order: by step and then by sequence.
  template <class T>
  std::vector<T> by_step(const T* of_nodes) const {
    std::vector<T> of_steps(static_cast<std::size_t>(steps * sequences * features));
    for (std::int64_t n = 0; n < sequences; ++n) {
      for (std::int64_t t = 0; t < steps; ++t) {
        std::copy_n(of_nodes + (n * steps + t) * features, features, of_steps.begin() + (t * sequences + n) * features);
      }
    }
    return of_steps;
  }
  template <class T>
  std::vector<T> last_steps(const T* of_nodes) const {
    const std::vector<T> all = by_step(of_nodes);
    return {all.end() - sequences * features, all.end()};
  }

  // [rows][gate][features] of the tensors that `name(gate)` names.
  template <class T>
  std::vector<T> with_gates(const PlainTensors& tensors, std::int64_t rows,
                            const std::function<std::string(char)>& name) const {
    std::vector<T> all;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (const char gate : gates) {
        const T* const from = tensors.at<T>(name(gate)) + row * features;
        all.insert(all.end(), from, from + features);
      }
    }
    return all;
  }
  // A cell's weights W_i, W_f ... and biases, or their gradients.
  template <class T>
  std::vector<T> weights(const PlainTensors& tensors, char letter, const char* suffix = "") const {
    return with_gates<T>(tensors, letter == 'b' ? 1 : features,
                         [&](char gate) { return fmt::format("{}_{}{}", letter, gate, suffix); });
  }

  // A layer takes gradients of c after the last step only: sets the others to zero.
  template <class T>
  void clear_gradients_of_c(PlainTensors& in) const {
    T* const dc = in.at<T>("dc");
    for (std::int64_t row = 0; row < sequences * steps; ++row) {
      if (row % steps != steps - 1) std::fill_n(dc + row * features, features, T(0));
    }
  }
};

inline SameLayer same_lstm(std::int64_t steps, std::int64_t sequences, std::int64_t features) {
  return {RecursiveModel::lstm, "lstm", "ifgo", steps, sequences, features};
}
inline SameLayer same_gru(std::int64_t steps, std::int64_t sequences, std::int64_t features) {
  return {RecursiveModel::gru, "gru", "uro", steps, sequences, features};
}

}  // namespace brickwork
