#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/onednn_network_chain.hpp"

#include <functional>
#include <utility>
#include <variant>

#include "baselines/onednn/onednn_batch_norm.hpp"
#include "baselines/onednn/onednn_conv.hpp"
#include "baselines/onednn/onednn_fc.hpp"
#include "baselines/onednn/onednn_pool.hpp"

namespace brickwork::onednn {
namespace {

using dnnl::memory;

// The passes of a convolution or an inner product. Gradients have the layouts of their tensors: when backward by data
// of strided convolutions chose another layout, reorders and additions took 10 ms of a step's 600 ms, and the products
// took the same time as now (ResNet-50, 4 images, two cores of a Zen 4). `data` is empty if nobody needs that gradient.
struct ProductPasses {
  dnnl::primitive_desc_base forward, update, data;
};

// The forward pass of each layer leaves a function that adds its backward pass to the chain.
class NetworkChainBuilder {
 public:
  NetworkChainBuilder(const NetworkGraph& graph, NetworkPart part, NetworkChain& network)
      : graph_(graph),
        part_(part),
        network_(network),
        chain_(network.chain),
        context_(chain_.context()),
        ddst_(graph.layers.size()) {}

  void build() {
    for (const NetworkLayer& layer : graph_.layers) {
      layer_ = &layer;
      outputs_.push_back(std::visit([&](const auto& p) { return forward(p); }, layer.problem));
    }
    loss();
    network_.backward = chain_.size();
    if (part_ != NetworkPart::forward) {
      loss_backward();
      for (std::size_t i = graph_.layers.size(); i-- > 0;) backward_[i](std::move(ddst_[i]));
    }
    chain_.allocate();
  }

 private:
  bool of_images() const { return layer_->src == kImages; }
  const memory& output(int layer) const {
    return layer == kImages ? network_.images : outputs_[static_cast<std::size_t>(layer)];
  }

  // Images have the layout that their first reader wants.
  memory src_in(const memory::desc& wanted) {
    if (of_images() && !network_.images) network_.images = chain_.keep(wanted);
    return chain_.kept_in(wanted, output(layer_->src));
  }
  memory src_as_it_lies() {
    const ImageSizes& i = graph_.images;
    return src_in(of_images() ? blocked({i.N, i.C, i.H, i.W}) : output(layer_->src).get_desc());
  }

  std::size_t add_parameter(const memory::desc& desc) {
    network_.parameters.push_back({chain_.keep(desc), {}});
    return network_.parameters.size() - 1;
  }
  const memory& values(std::size_t parameter) const { return network_.parameters[parameter].values; }
  const memory& keep_gradient(std::size_t parameter, const memory::desc& desc) {
    return network_.parameters[parameter].gradient = chain_.keep(desc);
  }

  void add_product(const dnnl::primitive_desc_base& desc, const Arguments& arguments) {
    ++network_.implementations[desc.impl_info_str()];
    chain_.add(desc, arguments);
  }

  // In place, unless the layout changes.
  Loan times_derivative(Activation activation, const memory& dst, const Loan& ddst) {
    const dnnl::algorithm algorithm = eltwise_by_dst_of(activation);
    const auto layout = dst.get_desc();
    const dnnl::eltwise_forward::primitive_desc forward(context_.engine, dnnl::prop_kind::forward_training, algorithm,
                                                        layout, layout, 0.0f, 0.0f);
    const dnnl::eltwise_backward::primitive_desc desc(context_.engine, algorithm, layout, layout, layout, 0.0f, 0.0f,
                                                      forward, user_scratchpad());
    Loan product = chain_.lent_in(layout, ddst);
    chain_.add(desc, {{DNNL_ARG_DST, dst}, {DNNL_ARG_DIFF_DST, *product}, {DNNL_ARG_DIFF_SRC, *product}});
    return product;
  }

  void add_gradient(int layer, const Loan& more) {
    if (layer == kImages) return;
    Loan& sum = ddst_[static_cast<std::size_t>(layer)];
    if (sum == nullptr) {
      sum = more;
    } else {
      chain_.add_to(*sum, *chain_.lent_in(sum->get_desc(), more));
    }
  }

  memory forward(const ConvProblem& p) {
    ConvTensors t(p);
    const auto bias = p.epilogue.bias ? plain({p.K}) : memory::desc();
    const auto forward = conv_forward_of(context_, t, bias);
    t.src = forward.src_desc();
    t.dst = forward.dst_desc();
    ProductPasses passes{forward, conv_weight_update_of(context_, t, bias), {}};
    if (!of_images()) passes.data = conv_backward_data_of(context_, t);
    return product(passes, p.epilogue);
  }

  memory forward(const FcProblem& p) {
    const ImageSizes from = graph_.dst_of(layer_->src);
    const bool rows = of_images() ? from.H * from.W == 1 : output(layer_->src).get_desc().get_dims().size() == 2;
    FcTensors t = rows ? FcTensors(p) : FcTensors(p, from.C, from.H, from.W);
    const auto bias = p.epilogue.bias ? plain({p.K}) : memory::desc();
    const auto activation = fused({.activation = p.epilogue.activation}, t.dst.get_dims());
    const auto forward = fc_forward_of(context_, t, dnnl::prop_kind::forward_training, bias, activation);
    t.src = forward.src_desc();
    t.dst = forward.dst_desc();
    ProductPasses passes{forward, fc_weight_update_of(context_, t, bias), {}};
    if (!of_images()) passes.data = fc_backward_data_of(context_, t);
    return product(passes, p.epilogue);
  }

  memory product(const ProductPasses& passes, const Epilogue& e) {
    const auto& forward = passes.forward;
    const memory src = src_in(forward.src_desc(0)), dst = chain_.keep(forward.dst_desc(0));
    const std::size_t weights = add_parameter(forward.weights_desc(0));
    Arguments arguments{{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, values(weights)}, {DNNL_ARG_DST, dst}};
    if (e.bias) arguments.emplace(DNNL_ARG_BIAS, values(add_parameter(forward.weights_desc(1))));
    add_product(forward, arguments);
    backward_.push_back([=, this, from = layer_->src](const Loan& ddst) {
      const bool linear = e.activation == Activation::none;
      const Loan dsum = linear ? ddst : times_derivative(e.activation, dst, ddst);
      update(passes.update, src, dsum, weights, e.bias);
      if (from != kImages) add_gradient(from, data(passes.data, dsum, weights));
    });
    return dst;
  }

  // A step needs the gradient in the weights' layout.
  void update(const dnnl::primitive_desc_base& desc, const memory& src, const Loan& ddst, std::size_t weights,
              bool bias) {
    const Loan src_here = chain_.lent_in(desc.src_desc(0), src);
    const Loan ddst_here = chain_.lent_in(desc.diff_dst_desc(0), ddst);
    const memory::desc given = desc.diff_weights_desc(0), wanted = values(weights).get_desc();
    const bool as_given = part_ == NetworkPart::backward || given == wanted;
    const memory gradient = keep_gradient(weights, as_given ? given : wanted);
    const Loan dweights = as_given ? std::make_shared<const memory>(gradient) : chain_.lend(given);
    Arguments arguments{{DNNL_ARG_SRC, *src_here}, {DNNL_ARG_DIFF_DST, *ddst_here}, {DNNL_ARG_DIFF_WEIGHTS, *dweights}};
    if (bias) arguments.emplace(DNNL_ARG_DIFF_BIAS, keep_gradient(weights + 1, desc.diff_weights_desc(1)));
    add_product(desc, arguments);
    if (!as_given) chain_.reorder(*dweights, gradient);
  }

  Loan data(const dnnl::primitive_desc_base& desc, const Loan& ddst, std::size_t weights) {
    const Loan ddst_here = chain_.lent_in(desc.diff_dst_desc(0), ddst);
    const Loan weights_here = chain_.lent_in(desc.weights_desc(0), values(weights));
    Loan dsrc = chain_.lend(desc.diff_src_desc(0));
    add_product(desc, {{DNNL_ARG_DIFF_DST, *ddst_here}, {DNNL_ARG_WEIGHTS, *weights_here}, {DNNL_ARG_DIFF_SRC, *dsrc}});
    return dsrc;
  }

  memory forward(const BatchNormProblem& p) {
    const memory src = src_as_it_lies();
    if (const auto desc = norm_forward_of(context_, p, src.get_desc())) return normalise(p, desc, src);
    BatchNormProblem alone = p;  // the library adds no residual in this layout
    alone.epilogue = NormEpilogue::none;
    const memory dst = normalise(alone, norm_forward_of(context_, alone, src.get_desc()), src);
    dnnl::post_ops relu;
    relu.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    const int residual = layer_->residual;
    chain_.add_to(dst, chain_.kept_in(dst.get_desc(), output(residual)), relu);
    backward_.back() = [=, this, normalise_backward = backward_.back()](const Loan& ddst) {
      const Loan dsum = times_derivative(Activation::relu, dst, ddst);
      normalise_backward(dsum);
      add_gradient(residual, dsum);
    };
    return dst;
  }

  memory normalise(const BatchNormProblem& p, const dnnl::batch_normalization_forward::primitive_desc& desc,
                   const memory& src) {
    const memory dst = chain_.keep(desc.dst_desc());
    const std::size_t gamma = add_parameter(plain({p.C})), beta = add_parameter(plain({p.C}));
    Arguments read_again{{DNNL_ARG_SRC, src},
                         {DNNL_ARG_SCALE, values(gamma)},
                         {DNNL_ARG_MEAN, chain_.keep(desc.mean_desc())},
                         {DNNL_ARG_VARIANCE, chain_.keep(desc.variance_desc())}};
    if (p.relu()) read_again.emplace(DNNL_ARG_WORKSPACE, chain_.keep(desc.workspace_desc()));
    Arguments arguments = read_again;
    arguments.insert({{DNNL_ARG_SHIFT, values(beta)}, {DNNL_ARG_DST, dst}});
    const int residual = layer_->residual;
    if (p.residual()) arguments.emplace(DNNL_ARG_SRC_1, chain_.kept_in(desc.dst_desc(), output(residual)));
    chain_.add(desc, arguments);
    backward_.push_back([=, this, from = layer_->src](const Loan& ddst) {
      const auto backward = norm_backward_of(context_, p, desc.dst_desc(), desc);
      const Loan ddst_here = chain_.lent_in(backward.diff_dst_desc(), ddst);
      const Loan dsrc = chain_.lend(backward.diff_src_desc());
      const Loan dresidual = p.residual() ? chain_.lend(desc.dst_desc()) : nullptr;
      Arguments all = read_again;
      all.insert({{DNNL_ARG_DIFF_DST, *ddst_here},
                  {DNNL_ARG_DIFF_SRC, *dsrc},
                  {DNNL_ARG_DIFF_SCALE, keep_gradient(gamma, plain({p.C}))},
                  {DNNL_ARG_DIFF_SHIFT, keep_gradient(beta, plain({p.C}))}});
      if (p.residual()) all.emplace(DNNL_ARG_DIFF_SRC_1, *dresidual);
      chain_.add(backward, all);
      add_gradient(from, dsrc);
      if (p.residual()) add_gradient(residual, dresidual);
    });
    return dst;
  }

  memory forward(const PoolProblem& p) {
    const memory src = src_as_it_lies();
    const auto desc = pool_forward_of(context_, p, src.get_desc());
    const memory dst = chain_.keep(desc.dst_desc());
    Arguments workspace;
    if (p.kind == PoolKind::max) workspace.emplace(DNNL_ARG_WORKSPACE, chain_.keep(desc.workspace_desc()));
    Arguments arguments = workspace;
    arguments.insert({{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    chain_.add(desc, arguments);
    backward_.push_back([=, this, from = layer_->src](const Loan& ddst) {
      const auto backward = pool_backward_of(context_, p, desc);
      const Loan ddst_here = chain_.lent_in(backward.diff_dst_desc(), ddst);
      const Loan dsrc = chain_.lend(backward.diff_src_desc());
      Arguments all = workspace;
      all.insert({{DNNL_ARG_DIFF_DST, *ddst_here}, {DNNL_ARG_DIFF_SRC, *dsrc}});
      chain_.add(backward, all);
      add_gradient(from, dsrc);
    });
    return dst;
  }

  dnnl::softmax_forward::primitive_desc log_softmax() const {
    const memory::desc rows = plain({graph_.images.N, graph_.classes()});
    constexpr int kClasses = 1;  // the dimension that counts classes
    return {context_.engine,  dnnl::prop_kind::forward_training, dnnl::algorithm::softmax_log, rows, rows, kClasses,
            user_scratchpad()};
  }

  void loss() {
    const auto desc = log_softmax();
    network_.logits = chain_.kept_in(desc.src_desc(), outputs_.back());
    network_.log_probabilities = chain_.keep(desc.dst_desc());
    network_.dlog_probabilities = chain_.keep(desc.dst_desc());
    chain_.add(desc, {{DNNL_ARG_SRC, network_.logits}, {DNNL_ARG_DST, network_.log_probabilities}});
  }

  void loss_backward() {
    const auto forward = log_softmax();
    const dnnl::softmax_backward::primitive_desc desc(context_.engine, dnnl::algorithm::softmax_log, forward.src_desc(),
                                                      forward.dst_desc(), forward.dst_desc(), forward.get_axis(),
                                                      forward, user_scratchpad());
    const Loan dlogits = chain_.lend(desc.diff_src_desc());
    chain_.add(desc, {{DNNL_ARG_DST, network_.log_probabilities},
                      {DNNL_ARG_DIFF_DST, network_.dlog_probabilities},
                      {DNNL_ARG_DIFF_SRC, *dlogits}});
    ddst_.back() = dlogits;
  }

  const NetworkGraph& graph_;
  const NetworkPart part_;
  NetworkChain& network_;
  Chain& chain_;
  const Context& context_;
  const NetworkLayer* layer_ = nullptr;  // its forward pass is being added
  std::vector<memory> outputs_;
  std::vector<std::function<void(Loan)>> backward_;
  std::vector<Loan> ddst_;
};

}  // namespace

std::unique_ptr<NetworkChain> chain_network(const Context& context, const NetworkGraph& graph, NetworkPart part) {
  auto network = std::make_unique<NetworkChain>(context);
  NetworkChainBuilder(graph, part, *network).build();
  return network;
}

}  // namespace brickwork::onednn
#endif
