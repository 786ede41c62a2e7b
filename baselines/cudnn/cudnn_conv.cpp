// cuDNN's convolution: the fastest of all plans and algorithms of its two APIs, in NHWC and in NCHW.
#include "baselines/conv_baselines.hpp"
#include "baselines/cudnn/without_cudnn.hpp"
#ifdef BRICKWORK_HAS_CUDNN
#include <fmt/format.h>

#include "baselines/cudnn/cudnn.hpp"
#include "baselines/cudnn/cudnn_conv.hpp"

namespace brickwork {
namespace cudnn {
namespace {

template <class Op>
constexpr Pass pass_of() {
  if constexpr (Op::pass == ConvForwardOp::pass) return Pass::forward;
  if constexpr (Op::pass == ConvBackwardDataOp::pass) return Pass::backward_data;
  return Pass::weight_update;
}

cuda::Operands operands(const ConvProblem& p, Pass pass, Precision precision, Algorithms algorithms,
                        bool channels_last) {
  const bool data = pass == Pass::backward_data, update = pass == Pass::weight_update;
  const auto tensor = [&](const char* name, std::vector<std::int64_t> dims) {
    return cuda::Tensor(name, std::move(dims), dtype_of(precision), channels_last);
  };
  cuda::Tensor x = tensor(data ? "dsrc" : "src", {p.N, p.C, p.H, p.W});
  cuda::Tensor w = tensor(update ? "dweights" : "weights", {p.K, p.C, p.R, p.S});
  cuda::Tensor y = tensor(pass == Pass::forward ? "dst" : "ddst", {p.N, p.K, p.P(), p.Q()});
  const ConvTask task{p, pass, precision, algorithms, channels_last, x, w, y};
  cuda::Operands all;
  for (auto* const ways_of : {graph_plans, found_algorithms}) {
    try {
      for (cuda::Way& way : ways_of(task)) {
        way.name += channels_last ? " NHWC" : " NCHW";
        all.ways.push_back(std::move(way));
      }
    } catch (const std::runtime_error& e) {  // the other API may accept it
      all.refusal = e.what();
    }
  }
  for (cuda::Tensor* t : {&x, &w, &y}) {
    const bool result = t == (data ? &x : update ? &w : &y);
    cuda::add(result ? all.results : all.sources, std::move(*t));
  }
  return all;
}

template <class Op>
Contender<Op> contender(Precision precision, Algorithms algorithms) {
  const bool transforms = algorithms == Algorithms::transforms;
  return {.name = transforms ? "cudnn-transforms" : "cudnn",
          .library = {"cuDNN", version(), absent()},
          .device = "cuda",
          .rounding = transforms ? 1e-3 : 0,
          .prepare = [=](const ConvProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            if (p.epilogue.any()) {
              return Result<PreparedPtr>::unsupported(
                  "this baseline fuses nothing into cuDNN's convolution: the epilogue must be none");
            }
            return cuda::prepared([&] {
              std::vector<std::function<cuda::Operands()>> orders;
              for (const bool channels_last : {true, false}) {
                orders.emplace_back(
                    [&, channels_last] { return operands(p, pass_of<Op>(), precision, algorithms, channels_last); });
              }
              return cuda::fastest(orders, in);
            });
          }};
}

}  // namespace
}  // namespace cudnn

template <Operation Op>
Contender<Op> cudnn_conv(Precision precision) {
  return cudnn::contender<Op>(precision, cudnn::Algorithms::direct);
}

template <Operation Op>
Contender<Op> cudnn_conv_transforms(Precision precision) {
  return cudnn::contender<Op>(precision, cudnn::Algorithms::transforms);
}

}  // namespace brickwork

#else

namespace brickwork {

template <Operation Op>
Contender<Op> cudnn_conv(Precision) {
  return without_cudnn<Op>("cudnn");
}

template <Operation Op>
Contender<Op> cudnn_conv_transforms(Precision) {
  return without_cudnn<Op>("cudnn-transforms");
}

}  // namespace brickwork

#endif

namespace brickwork {
template Contender<ConvForwardOp> cudnn_conv(Precision);
template Contender<ConvBackwardDataOp> cudnn_conv(Precision);
template Contender<ConvWeightUpdateOp> cudnn_conv(Precision);
template Contender<ConvForwardOp> cudnn_conv_transforms(Precision);
template Contender<ConvBackwardDataOp> cudnn_conv_transforms(Precision);
template Contender<ConvWeightUpdateOp> cudnn_conv_transforms(Precision);
}  // namespace brickwork
