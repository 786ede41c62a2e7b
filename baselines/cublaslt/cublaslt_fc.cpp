// A pass of a fully connected layer as one matrix product of cuBLASLt, with its epilogue.
#include "baselines/contender/cuda_device.hpp"
#include "baselines/cublaslt/cublaslt.hpp"
#include "baselines/fc_baselines.hpp"
#ifdef BRICKWORK_HAS_CUBLASLT
#include <optional>

namespace brickwork {
namespace cublaslt {
namespace {

// Plain tensors in their own order:
//   forward        dst[n][k]      = sum over c of weights[k][c] src[n][c]
//   backward-data  dsrc[n][c]     = sum over k of weights[k][c] ddst[n][k]
//   weight-update  dweights[k][c] = sum over n of src[n][c] ddst[n][k]
template <class Op>
Product product_of(const FcProblem& p) {
  if constexpr (Op::pass == FcForwardOp::pass) return {"weights", "src", "dst", true, false, p.K, p.N, p.C};
  if constexpr (Op::pass == FcBackwardDataOp::pass) return {"weights", "ddst", "dsrc", false, false, p.C, p.N, p.K};
  return {"src", "ddst", "dweights", false, true, p.C, p.K, p.N};
}

// nullopt if the library has no such epilogue.
template <class Op>
std::optional<cublasLtEpilogue_t> epilogue_of(const Epilogue& e) {
  if (Op::pass == FcWeightUpdateOp::pass) return e.bias ? CUBLASLT_EPILOGUE_BGRADB : CUBLASLT_EPILOGUE_DEFAULT;
  if (e.derivative) return std::nullopt;  // only by a mask of its own forward pass
  switch (e.activation) {
    case Activation::none:
      return e.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    case Activation::relu:
      return e.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Activation::gelu:
      return e.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    default:
      return std::nullopt;
  }
}

template <class Op>
std::optional<Product> with_epilogue(const FcProblem& p) {
  const auto epilogue = epilogue_of<Op>(p.epilogue);
  if (!epilogue) return std::nullopt;
  Product product = product_of<Op>(p);
  product.epilogue = *epilogue;
  product.addend = p.epilogue.residual ? "residual" : nullptr;
  product.bias_is_result = Op::pass == FcWeightUpdateOp::pass;
  if (p.epilogue.bias) product.bias = product.bias_is_result ? "dbias" : "bias";
  product.bias_size = p.K;
  return product;
}

}  // namespace
}  // namespace cublaslt

template <Operation Op>
Contender<Op> cublaslt_fc(Precision precision) {
  auto contender = cublaslt::contender<Op>();
  contender.prepare = [precision](const FcProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
    const auto product = cublaslt::with_epilogue<Op>(p);
    if (!product) {
      return Result<PreparedPtr>::unsupported(
          "cuBLASLt fuses only a bias, a residual, relu and gelu: "
          "no other curve, and no derivative without a mask");
    }
    return cuda::prepared([&] { return cublaslt::prepare(*product, precision, in); });
  };
  return contender;
}

}  // namespace brickwork

#else

namespace brickwork {
template <Operation Op>
Contender<Op> cublaslt_fc(Precision) {
  return cublaslt::contender<Op>();
}
}  // namespace brickwork

#endif

namespace brickwork {
template Contender<FcForwardOp> cublaslt_fc(Precision);
template Contender<FcBackwardDataOp> cublaslt_fc(Precision);
template Contender<FcWeightUpdateOp> cublaslt_fc(Precision);
}  // namespace brickwork
