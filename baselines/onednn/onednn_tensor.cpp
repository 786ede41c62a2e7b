#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/onednn_tensor.hpp"

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl_debug.h>

namespace brickwork::onednn {

std::string version() {
  const dnnl::version_t* v = dnnl::version();
  const std::string number = fmt::format("{}.{}.{}", v->major, v->minor, v->patch);
  return v->cpu_runtime == DNNL_RUNTIME_SYCL ? number + " (SYCL)" : number;
}

std::string isa() {
  const std::string_view name = dnnl_cpu_isa2str(dnnl_cpu_isa_t(dnnl::get_effective_cpu_isa()));
  return std::string(name.substr(std::string_view("cpu_isa_").size()));
}

Tensor::Tensor(const Context& context, const dnnl::memory::desc& desc)
    : buffer_((desc.get_size() + sizeof(float) - 1) / sizeof(float)), memory_(desc, context.engine, buffer_.data()) {}

Source::Source(const Context& context, const float* plain, const dnnl::memory::desc& plain_desc,
               const dnnl::memory::desc& wanted)
    : plain_(plain_desc, context.engine, const_cast<float*>(plain)) {  // only read
  if (plain_desc == wanted) return;
  packed_ = Tensor(context, wanted);
  reorder_ = dnnl::reorder(plain_, packed_.memory());
}

void Source::pack(const Context& context) {
  if (!reorder_) return;
  dnnl::memory to = packed_.memory();
  dnnl::stream stream = context.stream;
  reorder_.execute(stream, plain_, to);
  stream.wait();
}

}  // namespace brickwork::onednn
#endif
