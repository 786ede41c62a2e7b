#include "baselines/onednn/stacked_layers.hpp"

#include <algorithm>
#include <string>

namespace brickwork {
namespace {

// Parses "weights_layer.2": the name of the first layer's tensor is weights_layer.0, the layer is 2. A name without a
// number is of layer 0.
struct LayerName {
  explicit LayerName(const std::string& name) : of_first(name) {
    const auto dot = name.find('.');
    if (dot == std::string::npos) return;
    const auto end = std::min(name.find('.', dot + 1), name.size());
    layer = std::stoll(name.substr(dot + 1, end - dot - 1));
    of_first = name.substr(0, dot + 1) + "0" + name.substr(end);
  }

  std::string of_first;
  std::int64_t layer = 0;
};

std::vector<TensorInfo> stacked_infos(const std::vector<TensorInfo>& infos) {
  std::vector<TensorInfo> stacked;
  for (const TensorInfo& info : infos) {
    const LayerName name(info.name);
    if (name.layer == 0) {
      stacked.push_back(info);
    } else {
      auto& dims = std::ranges::find(stacked, name.of_first, &TensorInfo::name)->dims;
      dims[0] += info.dims[0];
    }
  }
  return stacked;
}

// Calls with(elements of the layer's tensor, their place in the stack) for every tensor of `layers`.
template <class Layers, class Stack, class With>
void for_each_layer(Layers& layers, Stack& stack, const With& with) {
  for (std::size_t i = 0; i < layers.infos().size(); ++i) {
    const TensorInfo& info = layers.infos()[i];
    if (info.size() == 0) continue;
    const LayerName name(info.name);
    with(layers.template values<float>(i), stack.template at<float>(name.of_first) + name.layer * info.size());
  }
}

class StackedLayers final : public Prepared {
 public:
  StackedLayers(const PlainTensors& in, const std::vector<TensorInfo>& outputs, const PrepareStacked& prepare)
      : in_(in),
        stacked_in_(stacked_infos(in.infos())),
        stacked_out_(stacked_infos(outputs)),
        prepared_(prepare(stacked_in_)) {}

  void pack() override {
    for_each_layer(in_, stacked_in_, [](auto from, float* to) { std::ranges::copy(from, to); });
    prepared_->pack();
  }
  void run() override { prepared_->run(); }
  void unpack(PlainTensors& out) override {
    prepared_->unpack(stacked_out_);
    for_each_layer(out, stacked_out_, [](auto to, const float* from) { std::copy_n(from, to.size(), to.begin()); });
  }
  std::string implementation() const override { return prepared_->implementation(); }
  std::string isa() const override { return prepared_->isa(); }

 private:
  const PlainTensors& in_;
  PlainTensors stacked_in_, stacked_out_;
  PreparedPtr prepared_;
};

}  // namespace

PreparedPtr stack_layers(const RnnProblem& p, const PlainTensors& in, const std::vector<TensorInfo>& outputs,
                         const PrepareStacked& prepare) {
  if (p.L == 1) return prepare(in);
  return std::make_unique<StackedLayers>(in, outputs, prepare);
}

}  // namespace brickwork
