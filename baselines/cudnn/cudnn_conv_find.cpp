#ifdef BRICKWORK_HAS_CUDNN
#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "baselines/cudnn/cudnn.hpp"
#include "baselines/cudnn/cudnn_conv.hpp"

namespace brickwork::cudnn {
namespace {

std::array<int, 4> ints(const std::vector<std::int64_t>& values) {
  std::array<int, 4> narrow{};
  std::ranges::transform(values, narrow.begin(), [](std::int64_t value) { return static_cast<int>(value); });
  return narrow;
}

// Descriptors of the operands and of the convolution; a Way keeps them alive.
struct Description {
  explicit Description(const ConvTask& task) : task_x(task.x.data()), task_w(task.w.data()), task_y(task.y.data()) {
    const ConvProblem& p = task.problem;
    const auto type = task.precision == Precision::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
    const auto math = task.precision == Precision::f32    ? CUDNN_FMA_MATH
                      : task.precision == Precision::tf32 ? CUDNN_DEFAULT_MATH
                                                          : CUDNN_TENSOR_OP_MATH;
    require(BRICKWORK_CUDNN(cudnnCreateTensorDescriptor)(&x), "cudnnCreateTensorDescriptor");
    require(BRICKWORK_CUDNN(cudnnCreateTensorDescriptor)(&y), "cudnnCreateTensorDescriptor");
    require(BRICKWORK_CUDNN(cudnnCreateFilterDescriptor)(&w), "cudnnCreateFilterDescriptor");
    require(BRICKWORK_CUDNN(cudnnCreateConvolutionDescriptor)(&conv), "cudnnCreateConvolutionDescriptor");
    set_tensor(x, task.x, type);
    set_tensor(y, task.y, type);
    require(BRICKWORK_CUDNN(cudnnSetFilterNdDescriptor)(
                w, type, task.channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW, 4, ints(task.w.dims()).data()),
            "cudnnSetFilterNdDescriptor");
    const auto [pad_h, pad_w, stride_h, stride_w] = ints({p.pad_h, p.pad_w, p.stride_h, p.stride_w});
    require(BRICKWORK_CUDNN(cudnnSetConvolution2dDescriptor)(conv, pad_h, pad_w, stride_h, stride_w, 1, 1,
                                                             CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
            "cudnnSetConvolution2dDescriptor");
    require(BRICKWORK_CUDNN(cudnnSetConvolutionMathType)(conv, math), "cudnnSetConvolutionMathType");
  }
  ~Description() {
    BRICKWORK_CUDNN(cudnnDestroyTensorDescriptor)(x);
    BRICKWORK_CUDNN(cudnnDestroyTensorDescriptor)(y);
    BRICKWORK_CUDNN(cudnnDestroyFilterDescriptor)(w);
    BRICKWORK_CUDNN(cudnnDestroyConvolutionDescriptor)(conv);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  void *task_x, *task_w, *task_y;
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;

 private:
  static void set_tensor(cudnnTensorDescriptor_t descriptor, const cuda::Tensor& tensor, cudnnDataType_t type) {
    require(BRICKWORK_CUDNN(cudnnSetTensorNdDescriptor)(descriptor, type, 4, ints(tensor.dims()).data(),
                                                        ints(tensor.strides()).data()),
            "cudnnSetTensorNdDescriptor");
  }
};
using DescriptionPtr = std::shared_ptr<const Description>;

constexpr float kOne = 1, kZero = 0;

// One struct per pass: the type that Find fills in, how to call Find, how to run an algorithm, which algorithms are
// transforms.
struct Forward {
  using Found = cudnnConvolutionFwdAlgoPerf_t;
  static constexpr int kMost = 2 * CUDNN_CONVOLUTION_FWD_ALGO_COUNT;  // with and without tensor cores
  static bool transforms(cudnnConvolutionFwdAlgo_t a) {
    return a == CUDNN_CONVOLUTION_FWD_ALGO_FFT || a == CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING ||
           a == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD || a == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED;
  }
  static cudnnStatus_t find(const Description& d, int* count, Found* found, void* at, std::size_t bytes) {
    return BRICKWORK_CUDNN(cudnnFindConvolutionForwardAlgorithmEx)(handle(), d.x, d.task_x, d.w, d.task_w, d.conv, d.y,
                                                                   d.task_y, kMost, count, found, at, bytes);
  }
  static cudnnStatus_t run(const Description& d, const Found& found, void* at) {
    return BRICKWORK_CUDNN(cudnnConvolutionForward)(handle(), &kOne, d.x, d.task_x, d.w, d.task_w, d.conv, found.algo,
                                                    at, found.memory, &kZero, d.y, d.task_y);
  }
};

struct BackwardData {
  using Found = cudnnConvolutionBwdDataAlgoPerf_t;
  static constexpr int kMost = 2 * CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT;
  static bool transforms(cudnnConvolutionBwdDataAlgo_t a) {
    return a == CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT || a == CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING ||
           a == CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD || a == CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED;
  }
  static cudnnStatus_t find(const Description& d, int* count, Found* found, void* at, std::size_t bytes) {
    return BRICKWORK_CUDNN(cudnnFindConvolutionBackwardDataAlgorithmEx)(handle(), d.w, d.task_w, d.y, d.task_y, d.conv,
                                                                        d.x, d.task_x, kMost, count, found, at, bytes);
  }
  static cudnnStatus_t run(const Description& d, const Found& found, void* at) {
    return BRICKWORK_CUDNN(cudnnConvolutionBackwardData)(handle(), &kOne, d.w, d.task_w, d.y, d.task_y, d.conv,
                                                         found.algo, at, found.memory, &kZero, d.x, d.task_x);
  }
};

struct WeightUpdate {
  using Found = cudnnConvolutionBwdFilterAlgoPerf_t;
  static constexpr int kMost = 2 * CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT;
  static bool transforms(cudnnConvolutionBwdFilterAlgo_t a) {
    return a == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT || a == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING ||
           a == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD || a == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED;
  }
  static cudnnStatus_t find(const Description& d, int* count, Found* found, void* at, std::size_t bytes) {
    return BRICKWORK_CUDNN(cudnnFindConvolutionBackwardFilterAlgorithmEx)(
        handle(), d.x, d.task_x, d.y, d.task_y, d.conv, d.w, d.task_w, kMost, count, found, at, bytes);
  }
  static cudnnStatus_t run(const Description& d, const Found& found, void* at) {
    return BRICKWORK_CUDNN(cudnnConvolutionBackwardFilter)(handle(), &kOne, d.x, d.task_x, d.y, d.task_y, d.conv,
                                                           found.algo, at, found.memory, &kZero, d.w, d.task_w);
  }
};

// Find leaves out algorithms for which it has no memory. For strict f32, Find was asked for FMAs, and they are set
// again for each run.
template <class Of>
std::vector<cuda::Way> found(const ConvTask& task) {
  const auto description = std::make_shared<const Description>(task);
  std::array<typename Of::Found, Of::kMost> found{};
  int count = 0;
  const CudaMemory<std::byte> workspace(cuda::most_workspace());
  if (Of::find(*description, &count, found.data(), workspace.data(), workspace.size()) != CUDNN_STATUS_SUCCESS)
    return {};
  std::vector<cuda::Way> ways;
  for (const auto& one : std::span(found).first(static_cast<std::size_t>(count))) {
    const bool tensor_cores = one.mathType != CUDNN_FMA_MATH && one.mathType != CUDNN_DEFAULT_MATH;
    const cudnnMathType_t math = task.precision == Precision::f32 ? CUDNN_FMA_MATH : one.mathType;
    if (one.status != CUDNN_STATUS_SUCCESS || (task.precision == Precision::f32 && tensor_cores) ||
        Of::transforms(one.algo) != (task.algorithms == Algorithms::transforms)) {
      continue;
    }
    ways.push_back({.name = fmt::format("algorithm {}", static_cast<int>(one.algo)),
                    .workspace_bytes = one.memory,
                    .run = [description, one, math](void* at) {
                      require(BRICKWORK_CUDNN(cudnnSetConvolutionMathType)(description->conv, math), "math type");
                      require(Of::run(*description, one, at), "a convolution of cuDNN's older API");
                    }});
  }
  return ways;
}

}  // namespace

std::vector<cuda::Way> found_algorithms(const ConvTask& task) {
  switch (task.pass) {
    case Pass::forward:
      return found<Forward>(task);
    case Pass::backward_data:
      return found<BackwardData>(task);
    case Pass::weight_update:
      return found<WeightUpdate>(task);
  }
  return {};
}

}  // namespace brickwork::cudnn
#endif
