// Recurrent layers forward, as frameworks build them on a BLAS: one SGEMM of the input for all steps; then for each
// step one SGEMM of the state (a GRU's two) and a loop over its elements with the C library's curves. All tensors are
// plain.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/op/plain_tensors.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork::openblas {

// Why OpenBLAS cannot do these layers; nullopt if it can.
std::optional<std::string> unsupported_rnn(const RnnProblem&, int threads);

class RnnForward {
 public:
  // The tensors of one layer in one direction. If the constructor's `keep` is true, they keep what the backward pass
  // reads.
  struct Way {
    std::int64_t l = 0, d = 0;
    const float *weights = nullptr, *state_weights = nullptr, *bias = nullptr;
    AlignedBuffer<float> gates;  // [T][N][G][K]; empty without keep
    AlignedBuffer<float> h, c;   // [T + 1][N][K]; without keep [N][K]
    AlignedBuffer<float> inner;  // [T][N][K], between the products: a GRU's r h, an lbr_gru's U_o h + b_m
  };

  RnnForward(const RnnProblem&, const PlainTensors& in, int threads, bool keep);

  void run();

  const std::vector<Way>& ways() const { return ways_; }  // by layer and direction
  const float* read_by(std::int64_t layer) const;         // x of the layer: [T][N][features]; of layer L: y of the last
                                                          // one
  // Offsets of a way's states before and after step t, and after all steps.
  std::int64_t before(const Way& way, std::int64_t t) const { return slot(t + (problem_.reversed(way.d) ? 1 : 0)); }
  std::int64_t after(const Way& way, std::int64_t t) const { return slot(t + (problem_.reversed(way.d) ? 0 : 1)); }
  std::int64_t last(const Way& way) const { return after(way, step(way, problem_.T - 1)); }
  // The s-th step in the order of the way.
  std::int64_t step(const Way& way, std::int64_t s) const { return problem_.reversed(way.d) ? problem_.T - 1 - s : s; }

 private:
  std::int64_t slot(std::int64_t i) const { return keep_ ? i * problem_.N * problem_.K : 0; }
  void run(Way&);
  void step_gru(Way&, std::int64_t t, float* gates);
  void finish_row(Way&, std::int64_t t, std::int64_t n, float* gate);

  RnnProblem problem_;
  const PlainTensors& in_;
  int threads_;
  bool keep_;
  AlignedBuffer<float> gates_, state_gates_;  // W x of all steps if ways keep none; U h of one step: [N][G][K]
  std::vector<Way> ways_;
  std::vector<AlignedBuffer<float>> y_;  // of each layer: [T][N][D * K]
};

}  // namespace brickwork::openblas
