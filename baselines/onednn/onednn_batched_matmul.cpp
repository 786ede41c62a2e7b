// Batched GEMM as a library offers it: one output per member of the batch, [batch][m][n], and then their sum. Both
// belong to run(), as the batch-reduce kernel returns the sum.
#include "baselines/brgemm_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include <algorithm>

#include "baselines/onednn/onednn_tensor.hpp"

namespace brickwork {
namespace {

using dnnl::memory;
using onednn::Context;

memory::desc f32(const memory::dims& dims) {
  return {dims, memory::data_type::f32, dims.size() == 3 ? memory::format_tag::abc : memory::format_tag::ab};
}

dnnl::matmul::primitive_desc product_desc(const Context& context, const memory::desc& a, const memory::desc& b,
                                          const memory::desc& c) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return {context.engine, a, b, c, attributes};
}

struct Product {
  Product(const Context& context, const memory& a, const memory& b, const memory& c)
      : desc(product_desc(context, a.get_desc(), b.get_desc(), c.get_desc())),
        primitive(desc),
        scratchpad(context, desc.scratchpad_desc()),
        arguments{
            {DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}, {DNNL_ARG_SCRATCHPAD, scratchpad.memory()}} {}

  dnnl::matmul::primitive_desc desc;
  dnnl::matmul primitive;
  onednn::Tensor scratchpad;
  onednn::Arguments arguments;
};

class PreparedBatchedMatmul final : public Prepared {
 public:
  PreparedBatchedMatmul(const BrgemmProblem& p, const PlainTensors& in)
      : problem_(p),
        in_(in),
        a_(context_, f32({p.batch, p.m, p.k})),
        b_(context_, f32({p.batch, p.k, p.n})),
        members_(context_, f32({p.batch, p.m, p.n})),
        ones_(context_, f32({1, p.batch})),
        c_(context_, f32({1, p.m * p.n})),
        product_(context_, a_.memory(), b_.memory(), members_.memory()),
        // The sum over the batch is a product with a row of ones: the library's reduction primitive has only a
        // reference loop for a reduction over the outermost dimension.
        sum_(context_, ones_.memory(), memory(f32({p.batch, p.m * p.n}), context_.engine, members_.data()),
             c_.memory()) {
    std::fill_n(ones_.data(), p.batch, 1.0f);
  }

  void pack() override {
    std::copy_n(in_.at<float>("A"), problem_.batch * problem_.m * problem_.k, a_.data());
    std::copy_n(in_.at<float>("B"), problem_.batch * problem_.k * problem_.n, b_.data());
  }

  void run() override {
    product_.primitive.execute(context_.stream, product_.arguments);
    sum_.primitive.execute(context_.stream, sum_.arguments);
    context_.stream.wait();
  }

  void unpack(PlainTensors& out) override { std::copy_n(c_.data(), problem_.m * problem_.n, out.at<float>("C")); }

  std::string implementation() const override { return product_.desc.impl_info_str(); }
  std::string isa() const override { return onednn::isa(); }

 private:
  Context context_;
  BrgemmProblem problem_;
  const PlainTensors& in_;
  onednn::Tensor a_, b_, members_, ones_, c_;
  Product product_, sum_;
};

}  // namespace

Contender<BrgemmOp> onednn_batched_matmul() {
  return {.name = "onednn-matmul",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const BrgemmProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            return {std::make_unique<PreparedBatchedMatmul>(p, in)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::BrgemmOp> brickwork::onednn_batched_matmul() {
  return absent_library<BrgemmOp>("onednn-matmul", "oneDNN");
}

#endif
