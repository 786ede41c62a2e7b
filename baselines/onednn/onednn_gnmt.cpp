// The recurrent stack of GNMT as a chain of oneDNN's primitives.
#include "baselines/gnmt_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "baselines/onednn/onednn_attention.hpp"
#include "baselines/onednn/onednn_rnn.hpp"

namespace brickwork {
namespace onednn {
namespace {

using dnnl::memory;

constexpr int kFeatures = 2;  // the dimension of states [T][N][K] that counts features

class PreparedGnmt final : public Prepared {
 public:
  PreparedGnmt(const GnmtProblem& p, const PlainTensors& in) : problem_(p), in_(in), chain_(context_) {
    for (const GnmtLayer& layer : gnmt_layers(p)) layers_.push_back({layer});
    source_ = states(p.S);
    target_ = states(p.T);
    forward();
    if (training()) backward();
    chain_.allocate();
  }

  void pack() override {
    copy_in(source_, "source");
    copy_in(target_, "target");
    if (training()) copy_in(dy_, "dy");
    for (const Layer& layer : layers_) {
      for (const Weights& w : layer.weights) {
        const std::string name = layer.what.name + "." + w.name;
        for (const memory& to : {w.forward, w.backward}) {
          if (to) reorder(plain_memory(to, in_.at<float>(name)), to);
        }
      }
    }
  }

  void run() override { chain_.run(0, chain_.size()); }

  void unpack(PlainTensors& out) override {
    if (!training()) return reorder(y_, plain_memory(y_, out.at<float>("y")));
    reorder(dsource_, plain_memory(dsource_, out.at<float>("dsource")));
    reorder(dtarget_, plain_memory(dtarget_, out.at<float>("dtarget")));
    for (const Layer& layer : layers_) {
      for (const Weights& w : layer.weights) {
        const std::string name = layer.what.name + "." + w.name + ".gradient";
        reorder(w.gradient, plain_memory(w.gradient, out.at<float>(name)));
      }
    }
  }

  std::string implementation() const override {
    std::vector<std::string> counts;
    for (const auto& [name, times] : implementations_) counts.push_back(fmt::format("{} {}", times, name));
    return fmt::format("{}", fmt::join(counts, " + "));
  }
  std::string isa() const override { return onednn::isa(); }

 private:
  struct Weights {
    const char* name;
    int argument, gradient_argument;
    memory forward, backward, gradient;  // backward: if it wants another layout
  };
  struct Layer {
    GnmtLayer what;
    RnnDescription forward;
    Arguments arguments;  // of the forward pass
    std::vector<Weights> weights;
  };

  bool training() const { return problem_.part == GnmtPart::step; }
  memory states(std::int64_t steps, std::int64_t times = 1) {
    return chain_.keep(plain({steps, problem_.N, times * problem_.K}));
  }
  // Describes the memory of [T][N][K] as [N][T][K], the order that attention needs.
  memory by_sentence(const memory& states) const {
    const auto dims = states.get_desc().get_dims();
    return {{{dims[1], dims[0], dims[2]}, memory::data_type::f32, memory::format_tag::bac},
            context_.engine,
            states.get_data_handle()};
  }

  void forward() {
    memory x = source_;
    for (std::size_t i = 0; i < kGnmtLayers; ++i) x = layer(i, x, x);
    const memory queries = layer(kGnmtLayers, target_, {}), context = states(problem_.T);
    const auto& p = problem_;
    attention_ = {p.attention(),
                  by_sentence(queries),
                  by_sentence(x),
                  by_sentence(x),
                  memory(),
                  chain_.keep(plain({p.N, p.T, p.S})),
                  by_sentence(context)};
    add_attention(chain_, attention_, implementations_);
    y_ = queries;
    for (std::size_t i = kGnmtLayers + 1; i < layers_.size(); ++i) y_ = layer(i, beside(y_, context), y_);
  }

  void backward() {
    const auto& p = problem_;
    dy_ = states(p.T);
    memory d = dy_;
    const memory dcontext = states(p.T);
    for (std::size_t i = layers_.size(); --i > kGnmtLayers;) {
      const memory dx = layer_backward(i, d), of_state = states(p.T);
      part_of(dx, 0, of_state, false);
      part_of(dx, 1, dcontext, i + 1 < layers_.size());
      if (layers_[i].what.residual) chain_.add_to(of_state, d);
      d = of_state;
    }
    const memory dqueries = states(p.T), dkeys = states(p.S), dvalues = states(p.S);
    add_attention_backward(chain_, attention_,
                           {by_sentence(dcontext), by_sentence(dqueries), by_sentence(dkeys), by_sentence(dvalues)},
                           implementations_);
    chain_.add_to(d, dqueries);
    dtarget_ = layer_backward(kGnmtLayers, d);
    chain_.add_to(dkeys, dvalues);
    d = dkeys;
    for (std::size_t i = kGnmtLayers; i-- > 0;) {
      const memory dx = layer_backward(i, d);
      if (layers_[i].what.residual) chain_.add_to(dx, d);
      d = dx;
    }
    dsource_ = d;
  }

  // The layer's output; adds `residual` if the layer has a residual connection.
  memory layer(std::size_t i, const memory& x, const memory& residual) {
    Layer& layer = layers_[i];
    const RnnProblem& p = layer.what.rnn;
    const RnnTensors t(p);
    const auto kind = training() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
    layer.forward = RnnDescription(context_, p, kind, t);
    layer.weights = {{"weights_layer", DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_LAYER},
                     {"weights_iter", DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_DIFF_WEIGHTS_ITER},
                     {"bias", DNNL_ARG_BIAS, DNNL_ARG_DIFF_BIAS}};
    const memory y = chain_.keep(t.y);
    layer.arguments = {{DNNL_ARG_SRC_LAYER, x}, {DNNL_ARG_DST_LAYER, y}};
    for (const int argument : {DNNL_ARG_SRC_ITER, DNNL_ARG_SRC_ITER_C, DNNL_ARG_DST_ITER, DNNL_ARG_DST_ITER_C}) {
      layer.arguments.emplace(argument, chain_.keep(t.h));  // zeros for inputs
    }
    for (Weights& w : layer.weights) {
      w.forward = chain_.keep(layer.forward.argument(w.argument));
      layer.arguments.emplace(w.argument, w.forward);
    }
    if (training()) layer.arguments.emplace(DNNL_ARG_WORKSPACE, chain_.keep(layer.forward.workspace_desc()));
    add(layer.forward, layer.arguments);
    return layer.what.residual ? sum_of(y, residual) : y;
  }

  memory layer_backward(std::size_t i, const memory& dy) {
    Layer& layer = layers_[i];
    const RnnTensors t(layer.what.rnn);
    const RnnDescription desc(context_, layer.what.rnn, t, layer.forward);
    const memory dx = chain_.keep(t.x);
    Arguments arguments = layer.arguments;
    arguments.insert({{DNNL_ARG_DIFF_DST_LAYER, dy}, {DNNL_ARG_DIFF_SRC_LAYER, dx}});
    for (const int argument :
         {DNNL_ARG_DIFF_SRC_ITER, DNNL_ARG_DIFF_SRC_ITER_C, DNNL_ARG_DIFF_DST_ITER, DNNL_ARG_DIFF_DST_ITER_C}) {
      arguments.emplace(argument, chain_.keep(t.h));
    }
    for (Weights& w : layer.weights) {
      if (const auto wanted = desc.argument(w.argument); wanted != w.forward.get_desc()) {
        arguments[w.argument] = w.backward = chain_.keep(wanted);
      }
      arguments.emplace(w.gradient_argument, w.gradient = chain_.keep(desc.argument(w.gradient_argument)));
    }
    add(desc, arguments);
    return dx;
  }

  void add(const RnnDescription& desc, const Arguments& arguments) {
    ++implementations_[desc.impl_info_str()];
    chain_.add(desc, arguments);
  }

  memory sum_of(const memory& a, const memory& b) {
    const memory sum = chain_.keep(a.get_desc());
    const dnnl::binary::primitive_desc desc(context_.engine, dnnl::algorithm::binary_add, a.get_desc(), b.get_desc(),
                                            sum.get_desc(), user_scratchpad());
    chain_.add(desc, {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, sum}});
    return sum;
  }

  memory beside(const memory& state, const memory& context) {
    const memory both = states(problem_.T, 2);
    const dnnl::concat::primitive_desc desc(context_.engine, both.get_desc(), kFeatures,
                                            {state.get_desc(), context.get_desc()}, user_scratchpad());
    chain_.add(desc, {{DNNL_ARG_MULTIPLE_SRC, state}, {DNNL_ARG_MULTIPLE_SRC + 1, context}, {DNNL_ARG_DST, both}});
    return both;
  }

  void part_of(const memory& both, std::int64_t part, const memory& to, bool adds) {
    const memory from(both.get_desc().submemory_desc(to.get_desc().get_dims(), {0, 0, part * problem_.K}),
                      context_.engine, both.get_data_handle());
    dnnl::primitive_attr attributes = user_scratchpad();
    if (adds) {
      dnnl::post_ops post_ops;
      post_ops.append_sum();
      attributes.set_post_ops(post_ops);
    }
    chain_.add(dnnl::reorder::primitive_desc(from, to, attributes), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

  memory plain_memory(const memory& as, const float* values) const {
    return {plain(as.get_desc().get_dims()), context_.engine, const_cast<float*>(values)};
  }
  void reorder(memory from, memory to) {
    dnnl::reorder(from, to).execute(context_.stream, from, to);
    context_.stream.wait();
  }
  void copy_in(const memory& to, const char* name) { reorder(plain_memory(to, in_.at<float>(name)), to); }

  Context context_;
  GnmtProblem problem_;
  const PlainTensors& in_;
  Chain chain_;
  std::vector<Layer> layers_;
  AttentionLinks attention_;
  Implementations implementations_;
  memory source_, target_, y_;
  memory dy_, dsource_, dtarget_;
};

}  // namespace
}  // namespace onednn

Contender<GnmtOp> onednn_gnmt() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const GnmtProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            if (p.unequal()) {
              return Result<PreparedPtr>::unsupported("oneDNN has no sequences of unequal length in a minibatch");
            }
            return {std::make_unique<onednn::PreparedGnmt>(p, in)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::GnmtOp> brickwork::onednn_gnmt() { return absent_library<GnmtOp>("onednn", "oneDNN"); }

#endif
