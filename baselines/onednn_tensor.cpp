#ifdef BRICKWORK_HAS_ONEDNN
#include "onednn_tensor.hpp"

#include <fmt/format.h>

namespace brickwork::onednn {

std::string version() {
  const dnnl::version_t* v = dnnl::version();
  return fmt::format("{}.{}.{}", v->major, v->minor, v->patch);
}

std::string isa() {
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx2_vnni_2:
      return "avx2_vnni_2";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_fp16:
      return "avx512_core_fp16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    case dnnl::cpu_isa::avx512_core_amx_fp16:
      return "avx512_core_amx_fp16";
    default:
      return "default";
  }
}

Tensor::Tensor(const Context& context, const dnnl::memory::desc& desc)
    : buffer_((desc.get_size() + sizeof(float) - 1) / sizeof(float)), memory_(desc, context.engine, buffer_.data()) {}

Source::Source(const Context& context, const float* plain, const dnnl::memory::desc& plain_desc,
               const dnnl::memory::desc& wanted)
    : plain_(plain_desc, context.engine, const_cast<float*>(plain)) {  // only ever read
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
