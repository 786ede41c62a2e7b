// cuDNN's recurrent layers: the fastest of all its algorithms.
#include "baselines/cudnn/without_cudnn.hpp"
#include "baselines/rnn_baselines.hpp"
#ifdef BRICKWORK_HAS_CUDNN
#include "baselines/cudnn/cudnn.hpp"
#include "baselines/cudnn/cudnn_rnn_layers.hpp"

namespace brickwork {
namespace cudnn {
namespace {

template <class Op>
constexpr RnnPass rnn_pass_of() {
  if constexpr (Op::pass == RnnInferenceOp::pass) return RnnPass::inference;
  if constexpr (Op::pass == RnnForwardOp::pass) return RnnPass::forward;
  return RnnPass::backward;
}

// Why cuDNN cannot have such layers; empty if it may have them.
std::string not_for_cudnn(const RnnProblem& p, Precision precision) {
  if (precision == Precision::bf16) return "this baseline runs cuDNN's recurrent layers in f32 and tf32 only";
  if (p.cell == RnnCell::gru) return "cuDNN's GRU is linear before reset: the cell must be lbr-gru";
  if (p.direction == RnnDirection::reverse) return "cuDNN has no recurrent layers that run only in reverse";
  return {};
}

}  // namespace
}  // namespace cudnn

template <Operation Op>
Contender<Op> cudnn_rnn(Precision precision) {
  using namespace cudnn;
  return {
      .name = "cudnn",
      .library = {"cuDNN", version(), absent()},
      .device = "cuda",
      .prepare = [=](const RnnProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
        if (const auto reason = not_for_cudnn(p, precision); !reason.empty()) {
          return Result<PreparedPtr>::unsupported(reason);
        }
        return cuda::prepared([&] { return cuda::fastest(rnn_choices({p, rnn_pass_of<Op>(), precision}, in), in); });
      }};
}

}  // namespace brickwork

#else

namespace brickwork {

template <Operation Op>
Contender<Op> cudnn_rnn(Precision) {
  return without_cudnn<Op>("cudnn");
}

}  // namespace brickwork

#endif

namespace brickwork {
template Contender<RnnInferenceOp> cudnn_rnn(Precision);
template Contender<RnnForwardOp> cudnn_rnn(Precision);
template Contender<RnnBackwardOp> cudnn_rnn(Precision);
}  // namespace brickwork
