#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/level_updates.hpp"

#include <algorithm>

#include "baselines/onednn/onednn_primitive.hpp"
#include "primitives/recursive/op/recursive_tensors.hpp"

namespace brickwork::onednn {
namespace {

using dnnl::memory;

memory::desc transposed_rows(const memory::dims& dims) {
  return {dims, memory::data_type::f32, memory::format_tag::ba};
}

void add_row(const float* from, bool adds, std::int64_t count, float* to) {
  gradient_row(GradientOp::add, Curve::none, adds, from, nullptr, count, to);
}

}  // namespace

void sum_rows(const float* rows, std::int64_t count, std::int64_t columns, int threads, float* to) {
  constexpr std::int64_t kTogether = 64;  // columns
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t c = 0; c < columns; c += kTogether) {
    const std::int64_t width = std::min(kTogether, columns - c);
    for (std::int64_t r = 0; r < count; ++r) add_row(rows + r * columns + c, /*adds=*/r > 0, width, to + c);
  }
}

LevelUpdate::LevelUpdate(const Context& context, const ProductGroup& product, std::int64_t H, std::int64_t rows,
                         const float* operands, const float* gradients)
    : context_(context), product_(&product), H_(H), rows_(rows) {
  const std::int64_t K = std::ssize(product.operands) * H, N = std::ssize(product.sums) * H;
  const dnnl::matmul::primitive_desc desc(context.engine, transposed_rows({K, rows}), plain({rows, N}), plain({K, N}),
                                          user_scratchpad());
  matmul_ = dnnl::matmul(desc);
  operands_ = memory(transposed_rows({K, rows}), context.engine, const_cast<float*>(operands));
  gradients_ = memory(plain({rows, N}), context.engine, const_cast<float*>(gradients));
  weights_ = Tensor(context, plain({K, N}));
  scratchpad_ = Tensor(context, desc.scratchpad_desc());
  if (product.has_bias()) bias_ = AlignedBuffer<float>(static_cast<std::size_t>(N));
}

void LevelUpdate::run(int threads) {
  matmul_.execute(context_.stream, {{DNNL_ARG_SRC, operands_},
                                    {DNNL_ARG_WEIGHTS, gradients_},
                                    {DNNL_ARG_DST, weights_.memory()},
                                    {DNNL_ARG_SCRATCHPAD, scratchpad_.memory()}});
  context_.stream.wait();
  if (bias_.size() == 0) return;
  sum_rows(static_cast<const float*>(gradients_.get_data_handle()), rows_, static_cast<std::int64_t>(bias_.size()),
           threads, bias_.data());
}

void LevelUpdate::add_to(const Cell& cell, PlainTensors& gradients) const {
  const auto of = [&](const std::vector<std::string>& names, int which) {
    return gradients.at<float>(recursive_ops::gradient_of_parameter(names[static_cast<std::size_t>(which)]));
  };
  const std::int64_t columns = std::ssize(product_->sums) * H_;
  std::int64_t first = 0;
  for (const ProductGroup::Sum& sum : product_->sums) {
    if (sum.bias >= 0) add_row(bias_.data() + first, /*adds=*/true, H_, of(cell.biases(), sum.bias));
    const float* from = weights_.data() + first;
    for (const int weight : sum.weights) {
      float* const to = of(cell.weights(), weight);
      for (std::int64_t k = 0; k < H_; ++k, from += columns) add_row(from, /*adds=*/true, H_, to + k * H_);
    }
    first += H_;
  }
}

}  // namespace brickwork::onednn
#endif
