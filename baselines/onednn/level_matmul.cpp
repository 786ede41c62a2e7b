#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/level_matmul.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "baselines/onednn/onednn_primitive.hpp"

namespace brickwork::onednn {

using dnnl::memory;

LevelMatmul::LevelMatmul(const Context& context, const Sizes& sizes, const std::set<std::int64_t>& rows)
    : context_(context), sizes_(sizes) {
  const memory::desc bias = sizes.bias ? plain({1, sizes.N}) : memory::desc();
  std::optional<memory::desc> weights, scratchpad;
  dnnl::primitive_attr attributes = user_scratchpad();
  if (sizes.adds) {
    dnnl::post_ops post_ops;
    post_ops.append_sum();
    attributes.set_post_ops(post_ops);
  }
  for (auto count = rows.rbegin(); count != rows.rend(); ++count) {
    const memory::desc from = plain({*count, sizes.K}), to = plain({*count, sizes.N});
    const dnnl::matmul::primitive_desc desc(context.engine, from, weights.value_or(any_layout({sizes.K, sizes.N})),
                                            bias, to, attributes);
    if (!weights) {
      weights = desc.weights_desc();
      implementation_ = desc.impl_info_str();
    }
    const memory::desc wanted = desc.scratchpad_desc();
    if (!scratchpad || wanted.get_size() > scratchpad->get_size()) scratchpad = wanted;
    of_rows_[*count] = {dnnl::matmul(desc), memory(from, context.engine, nullptr), memory(to, context.engine, nullptr),
                        memory(wanted, context.engine, nullptr)};
  }
  if (!weights) return;
  weights_ = Tensor(context, *weights);
  scratchpad_ = Tensor(context, *scratchpad);
  if (sizes.bias) bias_ = Tensor(context, bias);
  for (auto& [count, of] : of_rows_) of.scratchpad.set_data_handle(scratchpad_.data());
}

void LevelMatmul::pack(const float* weights, const float* bias) {
  if (of_rows_.empty()) return;
  const memory::dims dims = {sizes_.K, sizes_.N};
  const memory::desc transposed(dims, memory::data_type::f32, memory::format_tag::ba);
  memory from(sizes_.transposed ? transposed : plain(dims), context_.engine, const_cast<float*>(weights)),
      to = weights_.memory();
  dnnl::reorder(from, to).execute(context_.stream, from, to);
  context_.stream.wait();
  if (sizes_.bias) std::copy_n(bias, sizes_.N, bias_.data());
}

// By the library's C interface, whose arguments need no memory.
void LevelMatmul::run(std::int64_t rows, const float* from, float* to) const {
  const OfRows& of = of_rows_.at(rows);
  of.from.set_data_handle(const_cast<float*>(from));
  of.to.set_data_handle(to);
  std::array<dnnl_exec_arg_t, 5> arguments = {{{DNNL_ARG_SRC, of.from.get()},
                                               {DNNL_ARG_WEIGHTS, weights_.memory().get()},
                                               {DNNL_ARG_DST, of.to.get()},
                                               {DNNL_ARG_SCRATCHPAD, of.scratchpad.get()}}};
  int count = 4;
  if (sizes_.bias) arguments[static_cast<std::size_t>(count++)] = {DNNL_ARG_BIAS, bias_.memory().get()};
  dnnl::error::wrap_c_api(dnnl_primitive_execute(of.primitive.get(), context_.stream.get(), count, arguments.data()),
                          "oneDNN refuses a matmul");
  dnnl_stream_wait(context_.stream.get());
}

}  // namespace brickwork::onednn
#endif
