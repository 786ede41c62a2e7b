// oneDNN's pooling.
#include "pool_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "onednn_primitive.hpp"

namespace brickwork {
namespace onednn {
namespace {

using PoolForward = dnnl::pooling_forward;
using PoolBackward = dnnl::pooling_backward;

struct PoolSizes {
  explicit PoolSizes(const PoolProblem& p)
      : src(blocked({p.N, p.C, p.H, p.W})),
        dst(blocked({p.N, p.C, p.P(), p.Q()})),
        strides{p.stride_h, p.stride_w},
        window{p.R, p.S},
        padding{p.pad_h, p.pad_w},
        algorithm(p.kind == PoolKind::max       ? dnnl::algorithm::pooling_max
                  : p.kind == PoolKind::average ? dnnl::algorithm::pooling_avg_exclude_padding
                                                : dnnl::algorithm::pooling_avg_include_padding) {}

  PoolForward::primitive_desc forward(const Context& context) const {
    return {context.engine,
            dnnl::prop_kind::forward_training,
            algorithm,
            src,
            dst,
            strides,
            window,
            dilation,
            padding,
            padding,
            user_scratchpad()};
  }

  dnnl::memory::desc src, dst;
  dnnl::memory::dims strides, window, dilation{0, 0}, padding;
  dnnl::algorithm algorithm;
};

std::unique_ptr<PreparedPrimitive> prepare_pool_forward(const Context& context, const PoolSizes& sizes,
                                                        const PoolForward::primitive_desc& desc, const PlainTensors& in,
                                                        const char* dst) {
  std::vector<Operand> results{{DNNL_ARG_DST, dst, sizes.dst}};
  if (sizes.algorithm == dnnl::algorithm::pooling_max) {
    results.push_back({DNNL_ARG_WORKSPACE, {}, desc.workspace_desc()});
  }
  return std::make_unique<PreparedPrimitive>(context, desc, PoolForward(desc), in,
                                             std::vector<Operand>{{DNNL_ARG_SRC, "src", sizes.src}}, results);
}

PreparedPtr prepare_pool_backward(const PoolProblem& p, const PlainTensors& in) {
  const Context context;
  const PoolSizes sizes(p);
  const auto forward = sizes.forward(context);
  const PoolBackward::primitive_desc desc(context.engine, sizes.algorithm, sizes.src, sizes.dst, sizes.strides,
                                          sizes.window, sizes.dilation, sizes.padding, sizes.padding, forward,
                                          user_scratchpad());
  Before before;
  if (p.kind == PoolKind::max) {
    before = {prepare_pool_forward(context, sizes, forward, in, ""), {DNNL_ARG_WORKSPACE}};
  }
  return std::make_unique<PreparedPrimitive>(
      context, desc, PoolBackward(desc), in, std::vector<Operand>{{DNNL_ARG_DIFF_DST, "ddst", sizes.dst}},
      std::vector<Operand>{{DNNL_ARG_DIFF_SRC, "dsrc", sizes.src}}, std::move(before));
}

}  // namespace
}  // namespace onednn

Contender<PoolForwardOp> onednn_pool() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const PoolProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            const onednn::Context context;
            const onednn::PoolSizes sizes(p);
            return PreparedPtr(onednn::prepare_pool_forward(context, sizes, sizes.forward(context), in, "dst"));
          }};
}

Contender<PoolBackwardOp> onednn_pool_backward() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const PoolProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            return onednn::prepare_pool_backward(p, in);
          }};
}

}  // namespace brickwork

#else

namespace brickwork {

Contender<PoolForwardOp> onednn_pool() { return absent_library<PoolForwardOp>("onednn", "oneDNN"); }
Contender<PoolBackwardOp> onednn_pool_backward() { return absent_library<PoolBackwardOp>("onednn", "oneDNN"); }

}  // namespace brickwork

#endif
