// Attention by oneDNN: two batched matmuls and a softmax; backward four matmuls and the softmax's derivative.
#include "baselines/attention_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "baselines/onednn/onednn_attention.hpp"
#include "baselines/onednn/onednn_primitive.hpp"

namespace brickwork {
namespace onednn {
namespace {

using dnnl::memory;

constexpr int kStepsOfSoftmax = 2;  // the softmax's dimension

memory transposed(const memory& m) {
  return {m.get_desc().permute_axes({0, 2, 1}), m.get_engine(), m.get_data_handle()};
}

// c = scale * a b
void add_matmul(Chain& chain, const memory& a, const memory& b, const memory& c, double scale,
                Implementations& implementations) {
  dnnl::primitive_attr attributes = user_scratchpad();
  if (scale != 1) {
    dnnl::post_ops post_ops;
    post_ops.append_eltwise(dnnl::algorithm::eltwise_linear, static_cast<float>(scale), 0.0f);
    attributes.set_post_ops(post_ops);
  }
  const dnnl::matmul::primitive_desc desc(chain.context().engine, a.get_desc(), b.get_desc(), c.get_desc(), attributes);
  ++implementations[desc.impl_info_str()];
  chain.add(desc, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
}

dnnl::softmax_forward::primitive_desc softmax_of(const Chain& chain, const memory& weights) {
  const auto desc = weights.get_desc();
  return {chain.context().engine,
          dnnl::prop_kind::forward_training,
          dnnl::algorithm::softmax_accurate,
          desc,
          desc,
          kStepsOfSoftmax,
          user_scratchpad()};
}

}  // namespace

void add_attention(Chain& chain, const AttentionLinks& a, Implementations& implementations) {
  add_matmul(chain, a.queries, transposed(a.keys), a.weights, a.problem.score_scale(), implementations);
  if (a.mask) chain.add_to(a.weights, a.mask);
  chain.add(softmax_of(chain, a.weights), {{DNNL_ARG_SRC, a.weights}, {DNNL_ARG_DST, a.weights}});
  add_matmul(chain, a.weights, a.values, a.context, 1, implementations);
}

void add_attention_backward(Chain& chain, const AttentionLinks& a, const AttentionGradients& d,
                            Implementations& implementations) {
  const memory dweights = chain.keep(a.weights.get_desc());
  const double scale = a.problem.score_scale();
  add_matmul(chain, transposed(a.weights), d.dcontext, d.dvalues, 1, implementations);
  add_matmul(chain, d.dcontext, transposed(a.values), dweights, 1, implementations);
  const auto desc = a.weights.get_desc();
  const dnnl::softmax_backward::primitive_desc softmax(chain.context().engine, dnnl::algorithm::softmax_accurate, desc,
                                                       desc, desc, kStepsOfSoftmax, softmax_of(chain, a.weights),
                                                       user_scratchpad());
  chain.add(softmax, {{DNNL_ARG_DST, a.weights}, {DNNL_ARG_DIFF_DST, dweights}, {DNNL_ARG_DIFF_SRC, dweights}});
  add_matmul(chain, dweights, a.keys, d.dqueries, scale, implementations);
  add_matmul(chain, transposed(dweights), a.queries, d.dkeys, scale, implementations);
}

namespace {

class PreparedAttention final : public Prepared {
 public:
  PreparedAttention(const AttentionProblem& p, const PlainTensors& in, bool backward)
      : problem_(p), in_(in), chain_(context_), backward_(backward) {
    const memory::desc decoder = plain({p.N, p.T, p.K}), encoder = plain({p.N, p.S, p.K});
    links_ = {p,
              chain_.keep(decoder),
              chain_.keep(encoder),
              chain_.keep(encoder),
              p.unequal() ? chain_.keep(plain({p.N, 1, p.S})) : memory(),
              chain_.keep(plain({p.N, p.T, p.S})),
              chain_.keep(decoder)};
    Implementations implementations;
    add_attention(chain_, links_, implementations);
    first_backward_ = chain_.size();
    if (backward) {
      implementations.clear();
      gradients_ = {chain_.keep(decoder), chain_.keep(decoder), chain_.keep(encoder), chain_.keep(encoder)};
      add_attention_backward(chain_, links_, gradients_, implementations);
    }
    chain_.allocate();
    std::vector<std::string> counts;
    for (const auto& [name, times] : implementations) counts.push_back(fmt::format("{} {}", times, name));
    implementation_ = fmt::format("{}", fmt::join(counts, " + "));
  }

  void pack() override {
    set(links_.queries, "queries");
    set(links_.keys, "keys");
    set(links_.values, "values");
    if (links_.mask) {
      const std::int32_t* const lengths = in_.at<std::int32_t>("lengths");
      float* const mask = static_cast<float*>(links_.mask.get_data_handle());
      for (std::int64_t n = 0; n < problem_.N; ++n)
        for (std::int64_t s = 0; s < problem_.S; ++s) mask[n * problem_.S + s] = s < lengths[n] ? 0 : -1e30F;
    }
    if (!backward_) return;
    set(gradients_.dcontext, "dcontext");
    chain_.run(0, first_backward_);
  }
  void run() override {
    if (backward_) {
      chain_.run(first_backward_, chain_.size());
    } else {
      chain_.run(0, first_backward_);
    }
  }
  void unpack(PlainTensors& out) override {
    if (backward_) {
      get(gradients_.dqueries, out.at<float>("dqueries"));
      get(gradients_.dkeys, out.at<float>("dkeys"));
      get(gradients_.dvalues, out.at<float>("dvalues"));
    } else {
      get(links_.context, out.at<float>("context"));
      std::copy_n(static_cast<const float*>(links_.weights.get_data_handle()), problem_.N * problem_.T * problem_.S,
                  out.at<float>("weights"));
    }
  }

  std::string implementation() const override { return implementation_; }
  std::string isa() const override { return onednn::isa(); }

 private:
  // [N][steps][K] as [steps][N][K], the user's order.
  memory plain_memory(const memory& as, const float* values) const {
    return {{as.get_desc().get_dims(), memory::data_type::f32, memory::format_tag::bac},
            context_.engine,
            const_cast<float*>(values)};
  }
  void reorder(memory from, memory to) {
    dnnl::reorder(from, to).execute(context_.stream, from, to);
    context_.stream.wait();
  }
  void set(const memory& to, const char* name) { reorder(plain_memory(to, in_.at<float>(name)), to); }
  void get(const memory& from, float* values) { reorder(from, plain_memory(from, values)); }

  Context context_;
  AttentionProblem problem_;
  const PlainTensors& in_;
  Chain chain_;
  bool backward_;
  AttentionLinks links_;
  AttentionGradients gradients_;
  std::size_t first_backward_ = 0;
  std::string implementation_;
};

template <Operation Op>
Contender<Op> attention_contender(bool backward) {
  return {.name = "onednn",
          .library = {"oneDNN", version()},
          .prepare = [=](const AttentionProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            return {std::make_unique<PreparedAttention>(p, in, backward)};
          }};
}

}  // namespace
}  // namespace onednn

Contender<AttentionForwardOp> onednn_attention_forward() {
  return onednn::attention_contender<AttentionForwardOp>(false);
}
Contender<AttentionBackwardOp> onednn_attention_backward() {
  return onednn::attention_contender<AttentionBackwardOp>(true);
}

}  // namespace brickwork

#else

namespace brickwork {

Contender<AttentionForwardOp> onednn_attention_forward() {
  return absent_library<AttentionForwardOp>("onednn", "oneDNN");
}
Contender<AttentionBackwardOp> onednn_attention_backward() {
  return absent_library<AttentionBackwardOp>("onednn", "oneDNN");
}

}  // namespace brickwork

#endif
