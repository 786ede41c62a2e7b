// A primitive of oneDNN as a contender: it packs its sources into the layouts that it wants, and unpacks its results.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "baselines/contender/contender.hpp"
#include "baselines/onednn/onednn_tensor.hpp"
#include "kernels/epilogue/activation.hpp"
#include "primitives/op/epilogue_steps.hpp"

namespace brickwork::onednn {

// A tensor of the operation: the argument of the primitive that it is, its name, and the layout that the primitive
// wants. A result without a name is internal to the library and is not unpacked.
struct Operand {
  int argument;
  std::string name;
  dnnl::memory::desc wanted;
};

// f32, row-major: the user's layout.
dnnl::memory::desc plain(const dnnl::memory::dims&);
// The layout that the primitive likes best.
dnnl::memory::desc any_layout(const dnnl::memory::dims&);
dnnl::algorithm eltwise_of(Activation);
// Its derivative by the result of forward; gelu has none.
dnnl::algorithm eltwise_by_dst_of(Activation);
// The scratch memory is an argument, as every contender allocates when it is prepared.
dnnl::primitive_attr user_scratchpad();

// The epilogue on dst as post-operations, with scratch memory as above, and the sources that they read. The bias is an
// argument of the primitive itself.
dnnl::primitive_attr fused(const Epilogue&, const dnnl::memory::dims& dst);
std::vector<Operand> fused_sources(const Epilogue&, const dnnl::memory::desc& bias, const dnnl::memory::desc& dst);

// Channels per block in the layouts nChw8c and nChw16c: as many as a vector holds. blocked() is a tensor in that
// layout, for primitives that do not choose the layout of their input.
int channel_block();
dnnl::memory::desc blocked(const dnnl::memory::dims&);

class PreparedPrimitive;

// A primitive that must run before this one, as forward before backward: it runs while the contender packs. Both share
// the `arguments`.
struct Before {
  std::unique_ptr<PreparedPrimitive> primitive;
  std::vector<int> arguments;
};

// A run is the primitive alone, without any reorder.
class PreparedPrimitive final : public Prepared {
 public:
  template <class PrimitiveDesc>
  PreparedPrimitive(const Context& context, const PrimitiveDesc& desc, const dnnl::primitive& primitive,
                    const PlainTensors& in, const std::vector<Operand>& sources, const std::vector<Operand>& results,
                    Before before = {})
      : PreparedPrimitive(context, primitive, desc.scratchpad_desc(), desc.impl_info_str(), in, sources, results,
                          std::move(before)) {}

  void pack() override;
  void run() override;
  void unpack(PlainTensors& out) override;
  std::string implementation() const override { return implementation_; }
  std::string isa() const override { return onednn::isa(); }

 private:
  struct Output {
    std::string name;
    Tensor tensor;
    dnnl::reorder unpack;
  };

  PreparedPrimitive(const Context&, const dnnl::primitive&, const dnnl::memory::desc& scratchpad,
                    std::string implementation, const PlainTensors& in, const std::vector<Operand>& sources,
                    const std::vector<Operand>& results, Before before);

  Context context_;
  dnnl::primitive primitive_;
  std::string implementation_;
  std::unique_ptr<PreparedPrimitive> before_;
  std::vector<Source> sources_;
  std::vector<Output> outputs_;
  Tensor scratchpad_;
  Arguments arguments_;
};

}  // namespace brickwork::onednn
