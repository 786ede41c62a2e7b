// A primitive of oneDNN as a contender: its sources are packed into the layouts that it wants, its result is unpacked.
#pragma once
#include <string>
#include <vector>

#include "contender.hpp"
#include "conv_problem.hpp"
#include "onednn_tensor.hpp"

namespace brickwork::onednn {

// A tensor of the operation's, and which argument of the primitive it is in which layout.
struct Operand {
  int argument;
  std::string name;
  dnnl::memory::desc wanted;
};

// Of f32, row-major: as a user has them.
dnnl::memory::desc plain(const dnnl::memory::dims&);
// In whatever layout the primitive likes best.
dnnl::memory::desc any_layout(const dnnl::memory::dims&);
// With the scratch memory as an argument, as every contender's is allocated when it is prepared.
dnnl::primitive_attr user_scratchpad();

// The epilogue onto dst as post-operations, with a scratch memory as above, and the sources that they read. The bias is
// the primitive's own.
dnnl::primitive_attr fused(const ConvEpilogue&, const dnnl::memory::dims& dst);
std::vector<Operand> fused_sources(const ConvEpilogue&, const dnnl::memory::desc& bias, const dnnl::memory::desc& dst);

// A run is the primitive alone, without a reorder.
class PreparedPrimitive final : public Prepared {
 public:
  template <class PrimitiveDesc>
  PreparedPrimitive(const Context& context, const PrimitiveDesc& desc, const dnnl::primitive& primitive,
                    const PlainTensors& in, const std::vector<Operand>& sources, const Operand& result)
      : PreparedPrimitive(context, primitive, desc.scratchpad_desc(), desc.impl_info_str(), in, sources, result) {}

  void pack() override;
  void run() override;
  void unpack(PlainTensors& out) override;
  std::string implementation() const override { return implementation_; }
  std::string isa() const override { return onednn::isa(); }

 private:
  PreparedPrimitive(const Context&, const dnnl::primitive&, const dnnl::memory::desc& scratchpad,
                    std::string implementation, const PlainTensors& in, const std::vector<Operand>& sources,
                    const Operand& result);

  Context context_;
  dnnl::primitive primitive_;
  std::string implementation_;
  std::string result_name_;
  std::vector<Source> sources_;
  Tensor result_, scratchpad_;
  dnnl::reorder unpack_;
  Arguments arguments_;
};

}  // namespace brickwork::onednn
