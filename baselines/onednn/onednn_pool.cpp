// oneDNN's pooling.
#include "baselines/pool_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/onednn_pool.hpp"

namespace brickwork {
namespace onednn {
namespace {

using PoolForward = dnnl::pooling_forward;
using PoolBackward = dnnl::pooling_backward;

struct PoolWindows {
  explicit PoolWindows(const PoolProblem& p)
      : strides{p.stride_h, p.stride_w},
        size{p.R, p.S},
        padding{p.pad_h, p.pad_w},
        algorithm(p.kind == PoolKind::max       ? dnnl::algorithm::pooling_max
                  : p.kind == PoolKind::average ? dnnl::algorithm::pooling_avg_exclude_padding
                                                : dnnl::algorithm::pooling_avg_include_padding) {}

  dnnl::memory::dims strides, size, dilation{0, 0}, padding;
  dnnl::algorithm algorithm;
};

}  // namespace

PoolForward::primitive_desc pool_forward_of(const Context& context, const PoolProblem& p,
                                            const dnnl::memory::desc& src) {
  const PoolWindows windows(p);
  return {context.engine,
          dnnl::prop_kind::forward_training,
          windows.algorithm,
          src,
          any_layout({p.N, p.C, p.P(), p.Q()}),
          windows.strides,
          windows.size,
          windows.dilation,
          windows.padding,
          windows.padding,
          user_scratchpad()};
}

PoolBackward::primitive_desc pool_backward_of(const Context& context, const PoolProblem& p,
                                              const PoolForward::primitive_desc& forward) {
  const PoolWindows windows(p);
  return {context.engine,  windows.algorithm, forward.src_desc(), forward.dst_desc(),
          windows.strides, windows.size,      windows.dilation,   windows.padding,
          windows.padding, forward,           user_scratchpad()};
}

namespace {

PoolForward::primitive_desc pool_forward_in_blocks(const Context& context, const PoolProblem& p) {
  return pool_forward_of(context, p, blocked({p.N, p.C, p.H, p.W}));
}

std::unique_ptr<PreparedPrimitive> prepare_pool_forward(const Context& context, const PoolProblem& p,
                                                        const PoolForward::primitive_desc& desc, const PlainTensors& in,
                                                        const char* dst) {
  std::vector<Operand> results{{DNNL_ARG_DST, dst, desc.dst_desc()}};
  if (p.kind == PoolKind::max) results.push_back({DNNL_ARG_WORKSPACE, {}, desc.workspace_desc()});
  return std::make_unique<PreparedPrimitive>(context, desc, PoolForward(desc), in,
                                             std::vector<Operand>{{DNNL_ARG_SRC, "src", desc.src_desc()}}, results);
}

PreparedPtr prepare_pool_backward(const PoolProblem& p, const PlainTensors& in) {
  const Context context;
  const auto forward = pool_forward_in_blocks(context, p);
  const auto desc = pool_backward_of(context, p, forward);
  Before before;
  if (p.kind == PoolKind::max) {
    before = {prepare_pool_forward(context, p, forward, in, ""), {DNNL_ARG_WORKSPACE}};
  }
  return std::make_unique<PreparedPrimitive>(
      context, desc, PoolBackward(desc), in, std::vector<Operand>{{DNNL_ARG_DIFF_DST, "ddst", desc.diff_dst_desc()}},
      std::vector<Operand>{{DNNL_ARG_DIFF_SRC, "dsrc", desc.diff_src_desc()}}, std::move(before));
}

}  // namespace
}  // namespace onednn

Contender<PoolForwardOp> onednn_pool() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const PoolProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            const onednn::Context context;
            const auto desc = onednn::pool_forward_in_blocks(context, p);
            return PreparedPtr(onednn::prepare_pool_forward(context, p, desc, in, "dst"));
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
