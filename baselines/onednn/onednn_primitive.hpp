// A primitive of oneDNN as a contender: its sources are packed into the layouts that it wants, its results are
// unpacked.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "baselines/contender/contender.hpp"
#include "baselines/onednn/onednn_tensor.hpp"
#include "kernels/epilogue/activation.hpp"
#include "primitives/op/epilogue_steps.hpp"

namespace brickwork::onednn {

// A tensor of the operation's, and which argument of the primitive it is in which layout. A result without a name is
// the library's own: it stays where it is.
struct Operand {
  int argument;
  std::string name;
  dnnl::memory::desc wanted;
};

// Of f32, row-major: as a user has them.
dnnl::memory::desc plain(const dnnl::memory::dims&);
// In whatever layout the primitive likes best.
dnnl::memory::desc any_layout(const dnnl::memory::dims&);
dnnl::algorithm eltwise_of(Activation);
// Its derivative by what forward gave, which gelu's is not.
dnnl::algorithm eltwise_by_dst_of(Activation);
// With the scratch memory as an argument, as every contender's is allocated when it is prepared.
dnnl::primitive_attr user_scratchpad();

// The epilogue onto dst as post-operations, with a scratch memory as above, and the sources that they read. The bias is
// the primitive's own.
dnnl::primitive_attr fused(const Epilogue&, const dnnl::memory::dims& dst);
std::vector<Operand> fused_sources(const Epilogue&, const dnnl::memory::desc& bias, const dnnl::memory::desc& dst);

// The channels of a block in the layouts nChw8c and nChw16c, of which one vector holds them; and a tensor in it, for
// primitives that do not choose the layout of what they read.
int channel_block();
dnnl::memory::desc blocked(const dnnl::memory::dims&);

class PreparedPrimitive;

// A primitive that must have run before, as forward before backward: it does so when the contender packs. Some of its
// arguments are the other one's, too.
struct Before {
  std::unique_ptr<PreparedPrimitive> primitive;
  std::vector<int> arguments;
};

// A run is the primitive alone, without a reorder.
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
