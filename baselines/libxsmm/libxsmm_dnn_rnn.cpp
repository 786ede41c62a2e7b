// libxsmm_dnn_rnncell of LIBXSMM 1.17: the LSTM, GRU and plain cells of the paper's authors, on plain activations and
// on weights that pack() blocks (the library's other format blocks them in every run). Built by GCC, the library uses
// the C library's curves. Forward stores all gates, also in inference; a weight update makes its own way back through
// time.
#include "baselines/rnn_baselines.hpp"
#ifdef BRICKWORK_HAS_LIBXSMM
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>

#include "baselines/gemm_loops/largest_divisor.hpp"
#include "baselines/libxsmm/libxsmm_dnn_layer.hpp"
#include "kernels/cpu/libxsmm/libxsmm_target.hpp"

namespace brickwork {
namespace libxsmm {
namespace {

using Cell = Layer<RnnLayer>;

libxsmm_dnn_rnncell_type type_of(RnnCell cell) {
  switch (cell) {
    case RnnCell::lstm:
      return LIBXSMM_DNN_RNNCELL_LSTM;
    case RnnCell::gru:
      return LIBXSMM_DNN_RNNCELL_GRU;
    case RnnCell::rnn_tanh:
      return LIBXSMM_DNN_RNNCELL_RNN_TANH;
    case RnnCell::rnn_relu:
      return LIBXSMM_DNN_RNNCELL_RNN_RELU;
    case RnnCell::lbr_gru:
      break;
  }
  throw std::logic_error("LIBXSMM has no such cell");
}

// For each of the library's gates, the number of ours: its order is i, g, f, o for an LSTM and r, u, o for a GRU.
std::vector<std::int64_t> gates_of(RnnCell cell) {
  if (cell == RnnCell::lstm) return {0, 2, 1, 3};
  if (cell == RnnCell::gru) return {1, 0, 2};
  return {0};
}

libxsmm_dnn_rnncell_desc describe_rnn(const RnnProblem& p, int threads) {
  libxsmm_dnn_rnncell_desc d{};
  d.threads = threads;
  d.N = static_cast<int>(p.N);
  d.C = static_cast<int>(p.C);
  d.K = static_cast<int>(p.K);
  d.max_T = static_cast<int>(p.T);
  d.bn = static_cast<int>(largest_divisor_up_to_64(p.N));
  d.bc = static_cast<int>(largest_divisor_up_to_64(p.C));
  d.bk = static_cast<int>(largest_divisor_up_to_64(p.K));
  d.cell_type = type_of(p.cell);
  d.datatype_in = d.datatype_out = LIBXSMM_DNN_DATATYPE_F32;
  d.buffer_format = LIBXSMM_DNN_TENSOR_FORMAT_NC;
  d.filter_format = LIBXSMM_DNN_TENSOR_FORMAT_CKPACKED;
  return d;
}

// The gates' weights for `rows` input features: plain [rows][G][K]; blocked [G][K/bk][rows/br][br][bk] with the
// library's order of gates; transposed [G][rows/br][K/bk][bk][br].
class GateWeights {
 public:
  GateWeights(const RnnProblem& p, const libxsmm_dnn_rnncell_desc& d, std::int64_t rows, bool transposed = false)
      : gates_(gates_of(p.cell)),
        rows_(rows),
        K_(p.K),
        br_(largest_divisor_up_to_64(rows)),
        bk_(d.bk),
        threads_(d.threads),
        transposed_(transposed),
        data_(static_cast<std::size_t>(rows * p.gates() * p.K)) {}

  void pack(const float* plain) {
    for_each([&](std::int64_t i, float& blocked) { blocked = plain[i]; });
  }
  void unpack(float* plain) {
    for_each([&](std::int64_t i, const float& blocked) { plain[i] = blocked; });
  }
  void bind(Cell& cell, libxsmm_dnn_tensor_type type) {
    std::vector<std::int64_t> dims{bk_, br_, rows_ / br_, K_ / bk_};
    if (transposed_) dims = {br_, bk_, K_ / bk_, rows_ / br_};
    if (gates_.size() > 1) dims.push_back(static_cast<std::int64_t>(gates_.size()));
    cell.bind(type, data_.data(), dims);
  }

 private:
  // Calls with(place of the plain element, the blocked element).
  template <class With>
  void for_each(const With& with) {
    const auto G = static_cast<std::int64_t>(gates_.size());
#pragma omp parallel for num_threads(threads_) collapse(2)
    for (std::int64_t g = 0; g < G; ++g) {
      for (std::int64_t rb = 0; rb < rows_ / br_; ++rb) {
        for (std::int64_t kb = 0; kb < K_ / bk_; ++kb) {
          const std::int64_t block = transposed_ ? rb * (K_ / bk_) + kb : kb * (rows_ / br_) + rb;
          float* const blocked = data_.data() + g * rows_ * K_ + block * br_ * bk_;
          for (std::int64_t r = 0; r < br_; ++r) {
            for (std::int64_t k = 0; k < bk_; ++k) {
              with(((rb * br_ + r) * G + gates_[static_cast<std::size_t>(g)]) * K_ + kb * bk_ + k,
                   blocked[transposed_ ? k * br_ + r : r * bk_ + k]);
            }
          }
        }
      }
    }
  }

  std::vector<std::int64_t> gates_;
  std::int64_t rows_, K_, br_, bk_;
  int threads_;
  bool transposed_;
  AlignedBuffer<float> data_;
};

// The tensors that forward reads and leaves, with states and gates of all steps.
class CellTensors {
 public:
  CellTensors(const RnnProblem& p, const PlainTensors& in, const libxsmm_dnn_rnncell_desc& d)
      : p_(p),
        in_(in),
        weights_(p, d, p.C),
        state_weights_(p, d, p.K),
        bias_(static_cast<std::size_t>(p.gates() * p.K)),
        h_(static_cast<std::size_t>(p.T * p.N * p.K)),
        c_(p.has_c() ? h_.size() : 0) {
    for (AlignedBuffer<float>& gate : gates_) gate = AlignedBuffer<float>(h_.size());
  }

  void pack() {
    weights_.pack(in_.at<float>("weights_layer.0"));
    state_weights_.pack(in_.at<float>("weights_iter.0"));
    float* to = bias_.data();
    for (const std::int64_t g : gates_of(p_.cell)) to = std::copy_n(in_.at<float>("bias.0") + g * p_.K, p_.K, to);
  }

  void bind(Cell& cell) {
    cell.bind(LIBXSMM_DNN_RNN_REGULAR_INPUT, in_.at<float>("x"), {p_.C, p_.N, p_.T});
    weights_.bind(cell, LIBXSMM_DNN_RNN_REGULAR_WEIGHT);
    state_weights_.bind(cell, LIBXSMM_DNN_RNN_REGULAR_RECUR_WEIGHT);
    cell.bind(LIBXSMM_DNN_RNN_REGULAR_BIAS, bias_.data(), {p_.gates() * p_.K});
    bind_states(cell, LIBXSMM_DNN_RNN_REGULAR_HIDDEN_STATE_PREV, in_.at<float>("h0"));
    bind_states(cell, LIBXSMM_DNN_RNN_REGULAR_HIDDEN_STATE, h_.data());
    if (p_.has_c()) {
      bind_states(cell, LIBXSMM_DNN_RNN_REGULAR_CS_PREV, in_.at<float>("c0"));
      bind_states(cell, LIBXSMM_DNN_RNN_REGULAR_CS, c_.data());
    }
    const libxsmm_dnn_tensor_type gates[] = {LIBXSMM_DNN_RNN_INTERNAL_I, LIBXSMM_DNN_RNN_INTERNAL_F,
                                             LIBXSMM_DNN_RNN_INTERNAL_O, LIBXSMM_DNN_RNN_INTERNAL_CI,
                                             LIBXSMM_DNN_RNN_INTERNAL_CO};
    for (std::size_t g = 0; g < gates_.size(); ++g) bind_states(cell, gates[g], gates_[g].data());
    cell.bind_state(gates_[0].data());
    cell.bind_scratch();
  }
  // The library expects tensors of T steps even if it reads one step.
  void bind_states(Cell& cell, libxsmm_dnn_tensor_type type, const float* states) const {
    cell.bind(type, states, {p_.K, p_.N, p_.T});
  }

  void unpack(PlainTensors& out) {
    std::ranges::copy(h_, out.at<float>("y"));
    std::copy_n(h_.end() - p_.N * p_.K, p_.N * p_.K, out.at<float>("hT"));
    if (p_.has_c()) std::copy_n(c_.end() - p_.N * p_.K, p_.N * p_.K, out.at<float>("cT"));
  }

 private:
  RnnProblem p_;
  const PlainTensors& in_;
  GateWeights weights_, state_weights_;
  AlignedBuffer<float> bias_, h_, c_;
  std::array<AlignedBuffer<float>, 5> gates_;
};

class PreparedRnnForward final : public PreparedLayer<RnnLayer> {
 public:
  PreparedRnnForward(const RnnProblem& p, const PlainTensors& in, const libxsmm_dnn_rnncell_desc& d)
      : PreparedLayer(in, d, LIBXSMM_DNN_COMPUTE_KIND_FWD), cell_(p, in, d) {
    cell_.bind(layer_);
  }

  void pack() override { cell_.pack(); }
  void unpack(PlainTensors& out) override { cell_.unpack(out); }
  std::string implementation() const override { return "blocked batch-reduce"; }

 private:
  CellTensors cell_;
};

// Backward by data, the weight update, or both. The library takes no gradient of hT: it is added to that of the last
// step.
class PreparedRnnBackward final : public PreparedLayer<RnnLayer> {
 public:
  PreparedRnnBackward(const RnnProblem& p, const PlainTensors& in, const libxsmm_dnn_rnncell_desc& d,
                      libxsmm_dnn_compute_kind kind)
      : PreparedLayer(in, d, kind),
        p_(p),
        kind_(kind),
        cell_(p, in, d),
        forward_(d, LIBXSMM_DNN_COMPUTE_KIND_FWD),
        transposed_weights_(p, d, p.C, true),
        transposed_state_weights_(p, d, p.K, true),
        dweights_(p, d, p.C),
        dstate_weights_(p, d, p.K),
        dbias_(static_cast<std::size_t>(p.gates() * p.K)),
        dx_(static_cast<std::size_t>(p.T * p.N * p.C)),
        dh_(static_cast<std::size_t>(p.T * p.N * p.K)),
        dh0_(static_cast<std::size_t>(p.N * p.K)),
        dc0_(p.has_c() ? dh0_.size() : 0) {
    cell_.bind(forward_);
    cell_.bind(layer_);
    transposed_weights_.bind(layer_, LIBXSMM_DNN_RNN_REGULAR_WEIGHT_TRANS);
    transposed_state_weights_.bind(layer_, LIBXSMM_DNN_RNN_REGULAR_RECUR_WEIGHT_TRANS);
    dweights_.bind(layer_, LIBXSMM_DNN_RNN_GRADIENT_WEIGHT);
    dstate_weights_.bind(layer_, LIBXSMM_DNN_RNN_GRADIENT_RECUR_WEIGHT);
    layer_.bind(LIBXSMM_DNN_RNN_GRADIENT_BIAS, dbias_.data(), {p.gates() * p.K});
    layer_.bind(LIBXSMM_DNN_RNN_GRADIENT_INPUT, dx_.data(), {p.C, p.N, p.T});
    cell_.bind_states(layer_, LIBXSMM_DNN_RNN_GRADIENT_HIDDEN_STATE, dh_.data());
    cell_.bind_states(layer_, LIBXSMM_DNN_RNN_GRADIENT_HIDDEN_STATE_PREV, dh0_.data());
    if (p.has_c()) {
      cell_.bind_states(layer_, LIBXSMM_DNN_RNN_GRADIENT_CS, in.at<float>("dcT"));
      cell_.bind_states(layer_, LIBXSMM_DNN_RNN_GRADIENT_CS_PREV, dc0_.data());
    }
  }

  void pack() override {
    cell_.pack();
    forward_.run();
    transposed_weights_.pack(in_.at<float>("weights_layer.0"));
    transposed_state_weights_.pack(in_.at<float>("weights_iter.0"));
    std::copy_n(in_.at<float>("dy"), dh_.size(), dh_.data());
    float* const last = dh_.end() - dh0_.size();
    std::transform(last, dh_.end(), in_.at<float>("dhT"), last, std::plus());
  }
  void unpack(PlainTensors& out) override {
    if (kind_ != LIBXSMM_DNN_COMPUTE_KIND_UPD) {
      std::ranges::copy(dx_, out.at<float>("dx"));
      std::ranges::copy(dh0_, out.at<float>("dh0"));
      if (p_.has_c()) std::ranges::copy(dc0_, out.at<float>("dc0"));
    }
    if (kind_ == LIBXSMM_DNN_COMPUTE_KIND_BWD) return;
    dweights_.unpack(out.at<float>("weights_layer.0.gradient"));
    dstate_weights_.unpack(out.at<float>("weights_iter.0.gradient"));
    const float* from = dbias_.data();
    for (const std::int64_t g : gates_of(p_.cell)) {
      std::copy_n(from, p_.K, out.at<float>("bias.0.gradient") + g * p_.K);
      from += p_.K;
    }
  }
  std::string implementation() const override { return "blocked batch-reduce"; }

 private:
  RnnProblem p_;
  libxsmm_dnn_compute_kind kind_;
  CellTensors cell_;
  Cell forward_;
  GateWeights transposed_weights_, transposed_state_weights_, dweights_, dstate_weights_;
  AlignedBuffer<float> dbias_, dx_, dh_, dh0_, dc0_;
};

bool is_plain(RnnCell cell) { return cell == RnnCell::rnn_tanh || cell == RnnCell::rnn_relu; }

std::int64_t blocks_of(std::int64_t size) { return size / largest_divisor_up_to_64(size); }

std::optional<std::string> unsupported_forward(const RnnProblem& p) {
  if (const auto why = unsupported_target()) return why;
  if (p.L > 1 || p.direction != RnnDirection::forward) {
    return "LIBXSMM 1.17's recurrent cell is one layer that runs forward in time";
  }
  if (p.unequal()) return "LIBXSMM 1.17 has no sequences of unequal length in a minibatch";
  if (p.cell == RnnCell::lbr_gru) return "LIBXSMM 1.17's GRU resets the state before the product: the cell must be gru";
  if (std::max({blocks_of(p.N), blocks_of(p.C), blocks_of(p.K)}) > 1024) {
    return "LIBXSMM 1.17 holds 1024 pointers to blocks: N, C and K must each divide into at most 1024 blocks "
           "of up to 64";
  }
  const std::int64_t widest = std::max(p.C, p.K), most = std::numeric_limits<int>::max();
  if (p.T * p.N * widest > most || p.gates() * p.K * widest > most) {
    return "LIBXSMM 1.17 needs tensors with a number of elements below 2^31";
  }
  if (is_plain(p.cell) && std::min(p.C, p.K) >= 2048 && (blocks_of(p.C) % 2 != 0 || blocks_of(p.K) % 2 != 0)) {
    return "LIBXSMM 1.17's plain cells take the blocks of large C and K by twos and leave out an odd one";
  }
  return std::nullopt;
}

// The number of parts into which a GRU's sums over K are split.
std::int64_t parts_of_sums(std::int64_t K) {
  if (K >= 4096 && K % 8 == 0) return 8;
  if (K >= 2048 && K % 4 == 0) return 4;
  return K >= 1024 && K % 2 == 0 ? 2 : 1;
}

std::optional<std::string> unsupported_backward(const RnnProblem& p, libxsmm_dnn_compute_kind kind) {
  if (const auto why = unsupported_forward(p)) return why;
  if (p.cell == RnnCell::gru && kind != LIBXSMM_DNN_COMPUTE_KIND_BWD) {
    return "LIBXSMM 1.17's GRU swaps h and r h in the gradients of the recurrent weights";
  }
  if (p.cell == RnnCell::gru && blocks_of(p.K) % parts_of_sums(p.K) != 0) {
    return "LIBXSMM 1.17's GRU sums over the blocks of a large K in 2, 4 or 8 parts and leaves out the rest";
  }
  if (!is_plain(p.cell)) return std::nullopt;
  if (kind != LIBXSMM_DNN_COMPUTE_KIND_UPD) return "LIBXSMM 1.17's plain cells give no gradient of h0";
  if (p.T == 1) return "LIBXSMM 1.17's plain cells read memory before the states if T is 1";
  if (p.K % 16 != 0)
    return "LIBXSMM 1.17's plain cells compute the gradient of the bias only up to a multiple of 16: K must be one";
  if (libxsmm_get_target_archid() < LIBXSMM_X86_AVX512) {
    return "LIBXSMM 1.17's plain cells add to the previous run's gradient of the bias if there is no AVX-512";
  }
  return std::nullopt;
}

Result<PreparedPtr> prepare_forward(const RnnProblem& p, const PlainTensors& in, const Resources& r) {
  if (const auto why = unsupported_forward(p)) return Result<PreparedPtr>::unsupported(*why);
  return {std::make_unique<PreparedRnnForward>(p, in, describe_rnn(p, r.threads))};
}

template <libxsmm_dnn_compute_kind kKind>
Result<PreparedPtr> prepare_backward(const RnnProblem& p, const PlainTensors& in, const Resources& r) {
  if (const auto why = unsupported_backward(p, kKind)) return Result<PreparedPtr>::unsupported(*why);
  return {std::make_unique<PreparedRnnBackward>(p, in, describe_rnn(p, r.threads), kKind)};
}

template <Operation Op, class Prepare>
Contender<Op> rnn_contender(const Prepare& prepare) {
  return {.name = "libxsmm-dnn", .library = {"LIBXSMM", LIBXSMM_CONFIG_VERSION}, .prepare = prepare};
}

}  // namespace
}  // namespace libxsmm

Contender<RnnInferenceOp> libxsmm_dnn_rnn_inference() {
  return libxsmm::rnn_contender<RnnInferenceOp>(libxsmm::prepare_forward);
}
Contender<RnnForwardOp> libxsmm_dnn_rnn_forward() {
  return libxsmm::rnn_contender<RnnForwardOp>(libxsmm::prepare_forward);
}
Contender<RnnBackwardOp> libxsmm_dnn_rnn_backward() {
  return libxsmm::rnn_contender<RnnBackwardOp>(libxsmm::prepare_backward<LIBXSMM_DNN_COMPUTE_KIND_BWDUPD>);
}
Contender<RnnBackwardDataOp> libxsmm_dnn_rnn_backward_data() {
  return libxsmm::rnn_contender<RnnBackwardDataOp>(libxsmm::prepare_backward<LIBXSMM_DNN_COMPUTE_KIND_BWD>);
}
Contender<RnnWeightUpdateOp> libxsmm_dnn_rnn_weight_update() {
  return libxsmm::rnn_contender<RnnWeightUpdateOp>(libxsmm::prepare_backward<LIBXSMM_DNN_COMPUTE_KIND_UPD>);
}

}  // namespace brickwork

#else

namespace brickwork {
Contender<RnnInferenceOp> libxsmm_dnn_rnn_inference() {
  return absent_library<RnnInferenceOp>("libxsmm-dnn", "LIBXSMM");
}
Contender<RnnForwardOp> libxsmm_dnn_rnn_forward() { return absent_library<RnnForwardOp>("libxsmm-dnn", "LIBXSMM"); }
Contender<RnnBackwardOp> libxsmm_dnn_rnn_backward() { return absent_library<RnnBackwardOp>("libxsmm-dnn", "LIBXSMM"); }
Contender<RnnBackwardDataOp> libxsmm_dnn_rnn_backward_data() {
  return absent_library<RnnBackwardDataOp>("libxsmm-dnn", "LIBXSMM");
}
Contender<RnnWeightUpdateOp> libxsmm_dnn_rnn_weight_update() {
  return absent_library<RnnWeightUpdateOp>("libxsmm-dnn", "LIBXSMM");
}
}  // namespace brickwork

#endif
