#ifdef BRICKWORK_HAS_CUDNN
#include "baselines/cudnn/cudnn_rnn_layers.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "baselines/cudnn/cudnn.hpp"
#include "baselines/cudnn/cudnn_rnn_weights.hpp"
#include "kernels/gpu/cuda/require_cuda.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork::cudnn {
namespace {

struct RnnAlgorithm {
  cudnnRNNAlgo_t value;
  const char* name;
};
// If all are refused, the row tells the reason of the last one.
constexpr RnnAlgorithm kRnnAlgorithms[] = {{CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H, "persist-static-small-h"},
                                           {CUDNN_RNN_ALGO_PERSIST_DYNAMIC, "persist-dynamic"},
                                           {CUDNN_RNN_ALGO_PERSIST_STATIC, "persist-static"},
                                           {CUDNN_RNN_ALGO_STANDARD, "standard"}};

struct RnnWay : RnnTask {
  RnnAlgorithm algorithm;
  bool padded;  // needed for sequences of unequal length; equal ones can be packed, too
};

cudnnRNNMode_t mode_of(RnnCell cell) {
  switch (cell) {
    case RnnCell::lstm:
      return CUDNN_LSTM;
    case RnnCell::lbr_gru:
      return CUDNN_GRU;
    case RnnCell::rnn_tanh:
      return CUDNN_RNN_TANH;
    case RnnCell::rnn_relu:
      return CUDNN_RNN_RELU;
    case RnnCell::gru:
      break;
  }
  throw std::logic_error("cuDNN has no such cell");
}

std::vector<int> lengths_of(const RnnProblem& p, const PlainTensors& inputs) {
  if (!p.unequal()) return std::vector<int>(static_cast<std::size_t>(p.N), static_cast<int>(p.T));
  const auto* const lengths = inputs.at<std::int32_t>("lengths");
  return {lengths, lengths + p.N};
}

template <class T>
using Descriptor = std::unique_ptr<T, cudnnStatus_t (*)(T*)>;

template <class T>
Descriptor<T> created(cudnnStatus_t (*create)(T**), cudnnStatus_t (*destroy)(T*)) {
  T* descriptor = nullptr;
  require(create(&descriptor), "a descriptor of cuDNN's");
  return {descriptor, destroy};
}

#define BRICKWORK_CUDNN_DESCRIPTOR(kind) \
  created(BRICKWORK_CUDNN(cudnnCreate##kind##Descriptor), BRICKWORK_CUDNN(cudnnDestroy##kind##Descriptor))

// The layers and all of their tensors except the weights.
struct RnnDescription {
  RnnDescription(const RnnWay& way, const std::vector<int>& lengths) {
    const RnnProblem& p = way.problem;
    const int T = narrow(p.T), N = narrow(p.N), C = narrow(p.C), K = narrow(p.K), L = narrow(p.L), D = narrow(p.D());
    require(BRICKWORK_CUDNN(cudnnSetDropoutDescriptor)(no_dropout.get(), handle(), 0, nullptr, 0, 0),
            "cudnnSetDropoutDescriptor");
    // A GRU alone needs a second bias, within its reset, but all algorithms except the standard one refuse a single
    // bias. Math that allows conversions would multiply in f16.
    const bool one_bias = p.cell != RnnCell::lbr_gru && way.algorithm.value == CUDNN_RNN_ALGO_STANDARD;
    require(BRICKWORK_CUDNN(cudnnSetRNNDescriptor_v8)(
                layers.get(), way.algorithm.value, mode_of(p.cell),
                one_bias ? CUDNN_RNN_SINGLE_INP_BIAS : CUDNN_RNN_DOUBLE_BIAS,
                D > 1 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT,
                CUDNN_DATA_FLOAT, way.precision == Precision::f32 ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH, C, K, K, L,
                no_dropout.get(), way.padded ? CUDNN_RNN_PADDED_IO_ENABLED : CUDNN_RNN_PADDED_IO_DISABLED),
            "cudnnSetRNNDescriptor_v8");
    if (way.algorithm.value == CUDNN_RNN_ALGO_PERSIST_DYNAMIC) {
      require(BRICKWORK_CUDNN(cudnnBuildRNNDynamic)(handle(), layers.get(), N), "cudnnBuildRNNDynamic");
    }
    const auto set_steps = [&](const Descriptor<cudnnRNNDataStruct>& steps, int features) {
      float beyond_the_end = 0;
      require(BRICKWORK_CUDNN(cudnnSetRNNDataDescriptor)(
                  steps.get(), CUDNN_DATA_FLOAT,
                  way.padded ? CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED : CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, T, N,
                  features, lengths.data(), &beyond_the_end),
              "cudnnSetRNNDataDescriptor");
    };
    set_steps(x, C);
    set_steps(y, D * K);
    const int dims[] = {L * D, N, K}, strides[] = {N * K, K, 1};
    require(BRICKWORK_CUDNN(cudnnSetTensorNdDescriptor)(state.get(), CUDNN_DATA_FLOAT, 3, dims, strides),
            "cudnnSetTensorNdDescriptor");
    require(BRICKWORK_CUDNN(cudnnGetRNNWeightSpaceSize)(handle(), layers.get(), &weight_bytes),
            "cudnnGetRNNWeightSpaceSize");
    mode = way.pass == RnnPass::inference ? CUDNN_FWD_MODE_INFERENCE : CUDNN_FWD_MODE_TRAINING;
    require(BRICKWORK_CUDNN(cudnnGetRNNTempSpaceSizes)(handle(), layers.get(), mode, x.get(), &workspace_bytes,
                                                       &reserve_bytes),
            "cudnnGetRNNTempSpaceSizes");
  }

  static int narrow(std::int64_t size) { return static_cast<int>(size); }

  Descriptor<cudnnDropoutStruct> no_dropout = BRICKWORK_CUDNN_DESCRIPTOR(Dropout);
  Descriptor<cudnnRNNStruct> layers = BRICKWORK_CUDNN_DESCRIPTOR(RNN);
  Descriptor<cudnnRNNDataStruct> x = BRICKWORK_CUDNN_DESCRIPTOR(RNNData), y = BRICKWORK_CUDNN_DESCRIPTOR(RNNData);
  Descriptor<cudnnTensorStruct> state = BRICKWORK_CUDNN_DESCRIPTOR(Tensor);  // h and c
  cudnnForwardMode_t mode = CUDNN_FWD_MODE_TRAINING;
  std::size_t weight_bytes = 0, workspace_bytes = 0, reserve_bytes = 0;
};

// All weights, or all their gradients.
class RnnWeightSpace final : public cuda::Operand {
 public:
  RnnWeightSpace(const RnnProblem& p, const RnnDescription& description)
      : host_(description.weight_bytes / sizeof(float)),
        device_(host_.size()),
        order_(p, linear_layers(p, description)) {}

  void pack(const PlainTensors& plain) override {
    order_.order(plain, host_);
    device_.copy_from(host_.data());
  }
  void unpack(PlainTensors& plain) override {
    device_.copy_to(host_.data());
    order_.restore(host_, plain);
  }
  void forget() override { device_.fill_with_nan(); }
  float* data() const { return device_.data(); }

 private:
  std::vector<LinearLayer> linear_layers(const RnnProblem& p, const RnnDescription& description) const {
    const auto matrix = BRICKWORK_CUDNN_DESCRIPTOR(Tensor), bias = BRICKWORK_CUDNN_DESCRIPTOR(Tensor);
    std::vector<LinearLayer> all;
    for (int way = 0; way < p.L * p.D(); ++way) {
      for (int number = 0; number < 2 * p.gates(); ++number) {
        void *matrix_at = nullptr, *bias_at = nullptr;
        require(
            BRICKWORK_CUDNN(cudnnGetRNNWeightParams)(handle(), description.layers.get(), way, description.weight_bytes,
                                                     data(), number, matrix.get(), &matrix_at, bias.get(), &bias_at),
            "cudnnGetRNNWeightParams");
        LinearLayer& linear = all.emplace_back();
        linear.matrix = static_cast<float*>(matrix_at) - data();
        if (bias_at != nullptr) linear.bias = static_cast<float*>(bias_at) - data();
      }
    }
    return all;
  }

  std::vector<float> host_;
  CudaMemory<float> device_;
  RnnWeights order_;
};

// The tensors at one end of the layers: x, h0, c0, or y, hT, cT, or the gradients of either.
struct RnnEnd {
  void *steps = nullptr, *h = nullptr, *c = nullptr;
};

RnnEnd add_end(std::vector<std::unique_ptr<cuda::Operand>>& operands, const std::vector<TensorInfo>& infos) {
  const auto at = [&](std::size_t i) -> void* {
    if (infos[i].size() == 0) return nullptr;
    return cuda::add(operands, cuda::Tensor(infos[i].name, infos[i].dims, DType::f32));
  };
  return {at(0), at(1), at(2)};
}

class RnnLayers {
 public:
  RnnLayers(const RnnWay& way, const PlainTensors& inputs, cuda::Operands& operands)
      : problem_(way.problem),
        lengths_(lengths_of(problem_, inputs)),
        of_(way, lengths_),
        device_lengths_(lengths_),
        reserve_(of_.reserve_bytes) {
    in_ = add_end(operands.sources, rnn_ops::sources(problem_));
    weights_ = cuda::add(operands.sources, RnnWeightSpace(problem_, of_));
    if (way.pass != RnnPass::backward) {
      out_ = add_end(operands.results, rnn_ops::results(problem_));
      return;
    }
    y_.emplace(static_cast<std::size_t>(problem_.T * problem_.N * problem_.D() * problem_.K));
    out_.steps = y_->data();
    out_gradient_ = add_end(operands.sources, rnn_ops::gradients(problem_));
    in_gradient_ = add_end(operands.results, rnn_ops::data_gradients(problem_));
    weight_gradient_ = cuda::add(operands.results, RnnWeightSpace(problem_, of_));
    for (const auto& source : operands.sources) source->pack(inputs);
    find_overwritten();
  }

  std::size_t workspace_bytes() const { return of_.workspace_bytes; }
  std::size_t overwritten_bytes() const { return overwritten_ ? overwritten_->size() : 0; }

  void forward(void* workspace) const {
    require(BRICKWORK_CUDNN(cudnnRNNForward)(handle(), of_.layers.get(), of_.mode, device_lengths_.data(), of_.x.get(),
                                             in_.steps, of_.y.get(), out_.steps, of_.state.get(), in_.h, out_.h,
                                             of_.state.get(), in_.c, out_.c, of_.weight_bytes, weights_,
                                             of_.workspace_bytes, workspace, reserve_.size(), reserve_.data()),
            "cudnnRNNForward");
  }

  // Runs forward and saves the part of its results that a backward pass overwrites.
  void leave(void* workspace) const {
    forward(workspace);
    if (overwritten_) copy(overwritten_->data(), reserve_.data() + first_overwritten_, overwritten_->size());
  }

  void backward(void* workspace) const {
    if (overwritten_) copy(reserve_.data() + first_overwritten_, overwritten_->data(), overwritten_->size());
    // cuDNN adds to the gradients of weights, and does not set dx beyond the end of a sequence.
    clear(weight_gradient_, of_.weight_bytes);
    if (problem_.unequal()) {
      clear(in_gradient_.steps, sizeof(float) * static_cast<std::size_t>(problem_.T * problem_.N * problem_.C));
    }
    require(BRICKWORK_CUDNN(cudnnRNNBackwardData_v8)(
                handle(), of_.layers.get(), device_lengths_.data(), of_.y.get(), out_.steps, out_gradient_.steps,
                of_.x.get(), in_gradient_.steps, of_.state.get(), in_.h, out_gradient_.h, in_gradient_.h,
                of_.state.get(), in_.c, out_gradient_.c, in_gradient_.c, of_.weight_bytes, weights_,
                of_.workspace_bytes, workspace, reserve_.size(), reserve_.data()),
            "cudnnRNNBackwardData_v8");
    require(BRICKWORK_CUDNN(cudnnRNNBackwardWeights_v8)(
                handle(), of_.layers.get(), CUDNN_WGRAD_MODE_ADD, device_lengths_.data(), of_.x.get(), in_.steps,
                of_.state.get(), in_.h, of_.y.get(), out_.steps, of_.weight_bytes, weight_gradient_,
                of_.workspace_bytes, workspace, reserve_.size(), reserve_.data()),
            "cudnnRNNBackwardWeights_v8");
  }

 private:
  static void copy(void* to, const void* from, std::size_t bytes) {
    require_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cuda::queue().stream()), "cudaMemcpyAsync");
  }
  static void clear(void* at, std::size_t bytes) {
    require_cuda(cudaMemsetAsync(at, 0, bytes, cuda::queue().stream()), "cudaMemsetAsync");
  }

  // A backward pass writes to the reserve space; a second one would not find what forward left there.
  void find_overwritten() {
    const CudaMemory<std::byte> workspace(of_.workspace_bytes);
    const auto reserve_after = [&](auto pass) {
      (this->*pass)(workspace.data());
      cuda::queue().wait();
      std::vector<std::byte> bytes(reserve_.size());
      reserve_.copy_to(bytes.data());
      return bytes;
    };
    const auto left = reserve_after(&RnnLayers::forward), found = reserve_after(&RnnLayers::backward);
    const auto first = std::ranges::mismatch(left, found).in1;
    if (first == left.end()) return;
    const auto behind = std::mismatch(left.rbegin(), left.rend(), found.rbegin()).first.base();
    first_overwritten_ = first - left.begin();
    overwritten_.emplace(static_cast<std::size_t>(behind - first));
  }

  const RnnProblem problem_;
  const std::vector<int> lengths_;
  const RnnDescription of_;
  const CudaMemory<int> device_lengths_;
  const CudaMemory<std::byte> reserve_;
  std::optional<CudaMemory<float>> y_;  // backward reads it
  RnnEnd in_, out_, in_gradient_, out_gradient_;
  void *weights_ = nullptr, *weight_gradient_ = nullptr;
  std::ptrdiff_t first_overwritten_ = 0;
  std::optional<CudaMemory<std::byte>> overwritten_;  // as forward left it
};

// The operands of one way, or the reason why cuDNN refuses it.
cuda::Operands rnn_operands(const RnnWay& way, const PlainTensors& inputs) {
  cuda::Operands operands;
  try {
    const auto layers = std::make_shared<RnnLayers>(way, inputs, operands);
    const char* const lie = way.padded ? "padded" : "packed";
    if (way.pass == RnnPass::backward) {
      operands.ways.push_back({.name = fmt::format("{}, {}, {:.1f} MB of reserve space restored", way.algorithm.name,
                                                   lie, 1e-6 * static_cast<double>(layers->overwritten_bytes())),
                               .workspace_bytes = layers->workspace_bytes(),
                               .run = [layers](void* workspace) { layers->backward(workspace); },
                               .before = [layers](void* workspace) { layers->leave(workspace); }});
    } else {
      operands.ways.push_back({.name = fmt::format("{}, {}", way.algorithm.name, lie),
                               .workspace_bytes = layers->workspace_bytes(),
                               .run = [layers](void* workspace) { layers->forward(workspace); }});
    }
  } catch (const std::runtime_error& e) {  // another algorithm may accept it
    return {.refusal = e.what()};
  }
  return operands;
}

}  // namespace

std::vector<std::function<cuda::Operands()>> rnn_choices(const RnnTask& task, const PlainTensors& inputs) {
  std::vector<std::function<cuda::Operands()>> choices;
  for (const RnnAlgorithm& algorithm : kRnnAlgorithms) {
    for (const bool padded : {false, true}) {
      if (task.problem.unequal() && !padded) continue;
      choices.emplace_back([way = RnnWay{task, algorithm, padded}, &inputs] { return rnn_operands(way, inputs); });
    }
  }
  return choices;
}

}  // namespace brickwork::cudnn
#endif
